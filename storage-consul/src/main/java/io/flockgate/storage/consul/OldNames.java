package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.layout.NameForm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entries below names of the older form, after a gateway has adopted the newer one. While a session holds one of them, no gateway
 * may grant: the same key would be free under its new name. Every call blocks.
 */
final class OldNames {
    private static final int MAX_OPERATIONS = 64;

    /** Added for clocks that run at different speeds. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final Environment environment;
    private final ConsulApi api;
    private final String base;
    private final Duration sessionTtl;

    /** The slots whose sessions have ended, with their indexes and the time since which this gateway has seen them so. */
    private final Map<String, Ended> ended = new HashMap<>();

    private record Ended(long index, long since) {}

    /** @param sessionTtl the time for which a gateway believes in its session, if a mark does not tell it */
    OldNames(Environment environment, ConsulApi api, String base, Duration sessionTtl) {
        this.environment = environment;
        this.api = api;
        this.base = base;
        this.sessionTtl = sessionTtl;
    }

    /**
     * Whether any key stands under a name of the older form.
     *
     * @throws ConsulException when there is no answer in time
     */
    boolean exist() {
        return api.names(base, "/").stream().anyMatch(name -> pathOf(name) != null);
    }

    private @Nullable KeyPath pathOf(String name) {
        return KeyPaths.pathIn(NameForm.TILDE, base, name);
    }

    /**
     * Deletes what gateways have left under old names.
     *
     * @throws ConsulException while somebody holds something there, or may believe so, or when Consul does not answer
     */
    void clear() {
        List<KvOp> operations = new ArrayList<>();
        for (KvEntry entry : api.list(base, Consistency.CONSISTENT).entries()) {
            KeyPath path = pathOf(entry.key());
            if (path != null && entry.session() != null) {
                throw unavailable(entry.key() + " is still held by the session " + entry.session());
            }
            if (path != null && isBelieved(entry)) {
                throw unavailable(
                        entry.key() + " was held until its session ended, and its holder may not know that yet");
            }
            if (path != null && path.isOfGateways(entry)) {
                operations.add(new KvOp.DeleteCas(entry.key(), entry.modifyIndex()));
            }
        }
        for (int from = 0; from < operations.size(); from += MAX_OPERATIONS) {
            delete(operations.subList(from, Math.min(from + MAX_OPERATIONS, operations.size())));
        }
    }

    /** Whether the gateway of a slot may still believe in a session that has ended. A released slot has no mark. */
    private boolean isBelieved(KvEntry entry) {
        HolderMark mark = HolderMark.parse(entry.value());
        if (mark == null) {
            return false;
        }
        long now = environment.now();
        Ended seen = ended.get(entry.key());
        if (seen == null || seen.index() != entry.modifyIndex()) {
            seen = new Ended(entry.modifyIndex(), now);
            ended.put(entry.key(), seen);
        }
        return now - seen.since() < mark.believedNanos(sessionTtl.toMillis()) + MARGIN.toNanos();
    }

    private void delete(List<KvOp> operations) {
        switch (api.txn(operations)) {
            case TxnOutcome.Committed committed -> {}
            case TxnOutcome.Conflict conflict -> throw unavailable("somebody still changes entries there");
            case TxnOutcome.NotDone failed -> throw failed.cause();
            case TxnOutcome.Unknown failed -> throw failed.cause();
        }
    }

    private static ConsulException unavailable(String reason) {
        return new ConsulException(
                FailureKind.UNAVAILABLE,
                Effect.NOT_DONE,
                "keys have new names, and this gateway waits until nobody holds one under its old name: " + reason);
    }
}
