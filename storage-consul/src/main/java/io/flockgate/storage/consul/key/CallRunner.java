package io.flockgate.storage.consul.key;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls and the other work of one key with deadlines, and answers the calls. After a
 * failed call, or a write with an unknown result, the key is unsettled and must be read again. For
 * the key's own thread, unless a method states otherwise.
 */
final class CallRunner extends SerialExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(CallRunner.class);

    /**
     * The time for which a call is repeated while Consul does not answer or is electing a leader.
     */
    private static final long CALL_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LocalKey key;
    private boolean unsettled;
    private volatile boolean closed;

    /**
     * @param afterAll runs when all tasks are done, before the thread ends
     */
    CallRunner(LocalKey key, Runnable afterAll) {
        super(key.environment, afterAll);
        this.key = key;
    }

    /** The deadline of a call that begins now. Thread safe. */
    long deadline() {
        return key.now() + CALL_TIMEOUT_NANOS;
    }

    /**
     * Runs and answers a call as {@link #answer} does, unless its deadline has passed. The action
     * receives the deadline.
     */
    <T> void call(Promise<T> answer, long deadline, LongFunction<@Nullable T> action) {
        if (!closed && key.now() - deadline >= 0) {
            answer.fail(StorageExceptions.late());
        } else {
            answer(answer, () -> action.apply(deadline));
        }
    }

    /**
     * Answers with the outcome of an action. An action that returns null completes the answer
     * itself.
     */
    <T> void answer(Promise<T> answer, Supplier<@Nullable T> action) {
        if (closed) {
            answer.fail(StorageExceptions.closed());
            return;
        }
        @Nullable T outcome;
        try {
            outcome = action.get();
        } catch (ConsulException e) {
            // A call without effect leaves nothing to settle if this gateway has neither grants nor
            // waiters.
            unsettled |= e.effect() == Effect.UNKNOWN || !key.isUnused();
            answer.fail(StorageExceptions.of(e));
            return;
        } catch (RuntimeException | Error e) {
            unsettled = true;
            answer.fail(StorageExceptions.unexpected(e));
            throw e;
        }
        if (outcome != null) {
            answer.complete(outcome);
        }
    }

    /** Runs work for which no call waits. After a failure, the key is unsettled. */
    void attempt(LongConsumer work) {
        try {
            work.accept(deadline());
        } catch (ConsulException e) {
            unsettled = true;
            LOG.atDebug()
                    .addKeyValue("key", key.name)
                    .addKeyValue("err", e.getMessage())
                    .log("a call to Consul failed; the gateway retries the work on this key");
        } catch (RuntimeException | Error e) {
            unsettled = true;
            LOG.error("unexpected failure during the work on a key; the gateway retries it", e);
        }
    }

    /** Runs this work if the key is unsettled. */
    void settle(LongConsumer work) {
        if (unsettled && !closed) {
            unsettled = false;
            attempt(work);
        }
    }

    boolean isSettled() {
        return !unsettled;
    }

    void unsettleIf(boolean doubtful) {
        unsettled |= doubtful;
    }

    /** Whether {@link #close} was called. Thread safe. */
    boolean isClosed() {
        return closed;
    }

    /** Refuses all later calls, because the storage is closed. Thread safe. */
    void close() {
        closed = true;
    }
}
