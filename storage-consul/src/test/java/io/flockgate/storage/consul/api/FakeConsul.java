package io.flockgate.storage.consul.api;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of a {@link FakeCluster}, with its own faults, held to the same contract as a client of
 * the real Consul. Thread safe.
 */
public final class FakeConsul implements ConsulApi {
    /** The calls of a client. */
    public enum Call {
        LIST,
        WATCH,
        TXN,
        CREATE_SESSION,
        RENEW_SESSION,
        SESSION_NODE,
        NODE_INDEX,
        DESTROY_SESSION,
    }

    /**
     * A call before it is carried out.
     *
     * @param about the prefix, session or node; empty for a transaction
     * @param operations those of a transaction
     */
    public record Request(Call call, String about, List<KvOp> operations) {
        public boolean is(Call kind, String whose) {
            return call == kind && about.equals(whose);
        }

        /** Whether this is a transaction with such an operation. */
        public boolean has(Predicate<KvOp> which) {
            return operations.stream().anyMatch(which);
        }
    }

    /** Decides on a call. May throw, or block the calling thread. */
    public interface Faults {
        Fault on(Request request);
    }

    private static final Faults NONE = request -> new Fault.None();

    private volatile FakeCluster cluster;
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private volatile Faults faults = NONE;

    /** The key whose transactions meet no faults. */
    private volatile String spared = "";

    private volatile boolean cutOff;
    private volatile boolean closed;

    public FakeConsul(FakeCluster cluster) {
        this.cluster = cluster;
    }

    /** Sets the faults from now on, until others are set. */
    public void setFaults(Faults faults) {
        this.faults = faults;
    }

    /** Ends all faults. */
    public void failNone() {
        faults = NONE;
    }

    /** Sets this fault for all calls of that kind, and none for others. */
    public void failAll(Call call, Fault fault) {
        faults = request -> request.call() == call ? fault : new Fault.None();
    }

    /**
     * Exempts transactions of this key from faults, because a gateway's periodic work must not
     * consume a test's fault.
     */
    public void spare(String key) {
        this.spared = key;
    }

    /**
     * Sets this fault for the next call of that kind; the faults set before apply to all others.
     */
    public void failNext(Call call, Fault fault) {
        failNext(request -> request.call() == call, fault);
    }

    public void failNext(Predicate<Request> which, Fault fault) {
        Faults before = faults;
        var used = new AtomicBoolean();
        faults = request -> which.test(request) && used.compareAndSet(false, true) ? fault : before.on(request);
    }

    /**
     * Sets whether this client is cut off from the cluster; if so, calls fail as not done, and
     * running watches as unknown.
     */
    public void setCutOff(boolean cutOff) {
        this.cutOff = cutOff;
        cluster.wake();
    }

    /**
     * Makes this client's agent join another cluster; running watches fail as unknown.
     */
    public void join(FakeCluster other) {
        FakeCluster left = cluster;
        cluster = other;
        left.wake();
    }

    /** Carries out the postponed calls in their original order, and returns their number. */
    public int deliverLate() {
        int count = 0;
        for (Runnable call = late.poll(); call != null; call = late.poll()) {
            call.run();
            count++;
        }
        return count;
    }

    /** Whether this client has seen the current state of a prefix and waits for its next change. */
    public boolean isAwaited(String prefix) {
        return cluster.isAwaited(this, prefix);
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        return call(Call.LIST, prefix, () -> cluster.list(prefix));
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait) {
        return call(Call.WATCH, prefix, () -> watched(prefix, index, wait));
    }

    private KvList watched(String prefix, long index, Duration wait) {
        FakeCluster asked = cluster;
        BooleanSupplier broken = () -> closed || cutOff || cluster != asked;
        KvList read;
        try {
            read = asked.watch(this, prefix, index, wait, broken);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "interrupted", e);
        }
        if (broken.getAsBoolean()) {
            throw new ConsulException(
                    closed ? FailureKind.CLOSED : FailureKind.UNAVAILABLE, Effect.UNKNOWN, "the watch was broken off");
        }
        return read;
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        try {
            boolean meetsFaults =
                    operations.stream().noneMatch(each -> each.key().equals(spared));
            return call(
                    new Request(Call.TXN, "", operations), () -> cluster.txn(operations), meetsFaults ? faults : NONE);
        } catch (ConsulException e) {
            return Failures.outcome(e);
        }
    }

    @Override
    public String createSession(String name, Duration ttl) {
        return call(Call.CREATE_SESSION, name, () -> cluster.createSession(name, ttl));
    }

    @Override
    public boolean renewSession(String id) {
        return call(Call.RENEW_SESSION, id, () -> cluster.renewSession(id));
    }

    @Override
    public @Nullable String sessionNode(String id) {
        return call(Call.SESSION_NODE, id, () -> cluster.sessionNode(id));
    }

    @Override
    public long nodeIndex(String node) {
        return call(Call.NODE_INDEX, node, () -> cluster.nodeIndex(node));
    }

    @Override
    public void destroySession(String id) {
        boolean ignored = call(Call.DESTROY_SESSION, id, () -> {
            cluster.endSession(id);
            return true;
        });
    }

    private <T extends @Nullable Object> T call(Call call, String about, Supplier<T> action) {
        return call(new Request(call, about, List.of()), action, faults);
    }

    private <T extends @Nullable Object> T call(Request request, Supplier<T> action, Faults faults) {
        if (closed || cutOff) {
            throw new ConsulException(
                    closed ? FailureKind.CLOSED : FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no way to the stand-in");
        }
        return switch (faults.on(request)) {
            case Fault.None fault -> action.get();
            case Fault.Rejected fault -> throw new ConsulException(fault.kind(), Effect.NOT_DONE, "fault: not done");
            case Fault.AppliedUnknown fault -> {
                T ignored = action.get();
                throw unknown("carried out");
            }
            case Fault.LostUnknown fault -> throw unknown("lost");
            case Fault.AppliedLater fault -> {
                late.add(() -> quietly(action));
                throw unknown("later");
            }
            case Fault.Duplicated fault -> {
                T answer = action.get();
                late.add(() -> quietly(action));
                yield answer;
            }
            case Fault.Before fault -> {
                fault.other().run();
                yield action.get();
            }
            case Fault.After fault -> {
                T answer = action.get();
                fault.other().run();
                yield answer;
            }
        };
    }

    /** Carries out a call whose caller no longer waits for the answer. */
    private static void quietly(Supplier<?> action) {
        try {
            Object ignored = action.get();
        } catch (ConsulException e) {
            // Refused, so it has no effect.
        }
    }

    private static ConsulException unknown(String what) {
        return new ConsulException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "fault: unknown, " + what);
    }

    @Override
    public void close() {
        closed = true;
        cluster.wake();
    }
}
