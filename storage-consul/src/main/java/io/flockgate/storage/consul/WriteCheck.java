package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Detects that Consul refuses this gateway's writes, and when it accepts them again. Thread safe.
 *
 * <ol>
 *   <li>It checks the rights of the token every ten seconds, because they may be narrowed while no
 *       client sends a request.
 *   <li>A transaction that Consul denies, or that otherwise fails, is followed by a check within a
 *       second.
 *   <li>While the check fails, it is repeated every second. The gateway is not ready meanwhile, so
 *       clients may send nothing.
 * </ol>
 */
final class WriteCheck {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RIGHTS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment environment;
    private final AclCheck check;
    private final long patienceNanos;
    private final ConsulHealth health;
    private Timer timer = () -> {};
    private long checkedAt;
    private volatile boolean denied;
    private volatile boolean rightsDue;
    private volatile boolean writeDue;
    private volatile boolean stopped;

    /**
     * @param patienceNanos the time for which failures other than a missing right are not reported
     */
    WriteCheck(Environment environment, AclCheck check, long patienceNanos) {
        this.environment = environment;
        this.check = check;
        this.patienceNanos = patienceNanos;
        this.health = new ConsulHealth(environment, "writes");
    }

    /** Records the failure of a write, or of a read that the token may not make. */
    void failed(ConsulException e) {
        switch (e.kind()) {
            case DENIED -> rightsDue = true;
            case UNAVAILABLE, LIMITED, INVALID -> writeDue = true;
            case CLOSED -> {}
        }
    }

    void start() {
        checkedAt = environment.now();
        timer = environment.repeat("consul-writes", PAUSE_NANOS, this::run);
    }

    void stop() {
        stopped = true;
        timer.cancel();
    }

    private void run() {
        boolean write = writeDue || !(health.isGood() || denied);
        boolean rights = rightsDue || denied || environment.now() - checkedAt >= RIGHTS_NANOS;
        if (!stopped && (write || rights)) {
            checkedAt = environment.now();
            rightsDue = false;
            writeDue = false;
            check(write);
        }
    }

    private void check(boolean write) {
        try {
            check.rights();
            if (write) {
                check.write();
            }
            denied = false;
            health.good();
        } catch (ConsulException e) {
            if (!stopped) {
                denied = e.kind() == FailureKind.DENIED;
                health.failed(e);
            }
        }
    }

    /** The reason why Consul accepts no writes; empty when it accepts them. */
    Optional<String> failure() {
        return health.failureReason(denied ? 0 : patienceNanos)
                .map(reason -> denied ? reason : "this gateway cannot write to Consul. " + reason);
    }

    /**
     * Checks that the ACL token may read and write the keys. Without the right to read, a list is
     * empty, and all holders seem dead. Each check is a transaction that Consul cannot carry out,
     * but whose rights it checks first.
     */
    static final class AclCheck {
        private static final String PROBE = ".rights";

        /** The operations of a transaction must fit into Consul's maximum of 64. */
        private static final int TOGETHER = 60;

        private final ConsulApi api;
        private final KeyPaths paths;

        AclCheck(ConsulApi api, KeyPaths paths) {
            this.api = api;
            this.paths = paths;
        }

        /**
         * Checks the rights to the base and to each mapped prefix. Consul writes nothing to its
         * log, because the last operation names no key.
         *
         * @throws ConsulException when a right is missing, or Consul does not answer
         */
        void rights() {
            List<String> prefixes = prefixes();
            for (int from = 0; from < prefixes.size(); from += TOGETHER) {
                List<String> some = prefixes.subList(from, Math.min(prefixes.size(), from + TOGETHER));
                ConsulException failure = refusal(some);
                if (failure != null && failure.kind() == FailureKind.DENIED) {
                    some.forEach(this::requireRight);
                }
                if (failure != null) {
                    throw failure.withRight(right(paths.base()));
                }
            }
        }

        private List<String> prefixes() {
            return Stream.concat(
                            Stream.of(paths.base()),
                            paths.mapped().stream().map(key -> paths.of(key).root()))
                    .toList();
        }

        private static String right(String prefix) {
            return "key_prefix \"" + prefix + "\" { policy = \"write\" }";
        }

        private void requireRight(String prefix) {
            ConsulException failure = refusal(List.of(prefix));
            if (failure != null) {
                throw failure.withRight(right(prefix));
            }
        }

        private @Nullable ConsulException refusal(List<String> prefixes) {
            List<KvOp> operations = new ArrayList<>();
            // Never true, so nothing is written even if some version of Consul accepts an operation
            // without a key.
            operations.add(new KvOp.CheckIndex(prefixes.getFirst() + PROBE, 1));
            prefixes.forEach(prefix -> operations.add(write(prefix + PROBE)));
            operations.add(write(""));
            return switch (api.txn(operations)) {
                case TxnOutcome.Committed committed -> null;
                case TxnOutcome.Conflict conflict -> null;
                case TxnOutcome.NotDone failed ->
                    // Consul has refused the operation without a key.
                    failed.cause().kind() == FailureKind.INVALID ? null : failed.cause();
                case TxnOutcome.Unknown failed -> failed.cause();
            };
        }

        /**
         * Checks that Consul accepts a write below the base. This costs an entry in Consul's log,
         * because only there does Consul find that the transaction requires the index of a key that
         * does not exist.
         *
         * @throws ConsulException when Consul refuses it, or does not answer
         */
        void write() {
            String probe = paths.base() + PROBE;
            switch (api.txn(List.of(new KvOp.CheckIndex(probe, 1), write(probe)))) {
                case TxnOutcome.Committed committed -> {}
                case TxnOutcome.Conflict conflict -> {}
                case TxnOutcome.NotDone failed -> throw failed.cause().withRight(right(paths.base()));
                case TxnOutcome.Unknown failed -> throw failed.cause();
            }
        }

        private static KvOp write(String key) {
            return new KvOp.Set(key, 0, new byte[0]);
        }
    }
}
