package io.flockgate.storage.consul.rules;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a write until its result is certain. A write is conditional on the state of the key, so
 * at most one of several attempts takes effect.
 *
 * <ol>
 *   <li>Send the transaction. If Consul commits it, the write is done. If Consul refuses it, and no
 *       earlier attempt has an unknown result, the write is refused.
 *   <li>After an attempt with an unknown result, a refusal is checked by a read of the key. If the
 *       key does not show the write, the refusal is final for all attempts. The exception is a
 *       refusal because of Consul's lock delay: an earlier attempt may still take effect after the
 *       delay, so the write is repeated.
 *   <li>Otherwise pause. If the result of an attempt is unknown, read the key: if it shows the
 *       write, the write is done.
 *   <li>Otherwise send the same transaction again.
 *   <li>When no time is left, the caller gets the failure, which states whether the result is
 *       unknown.
 * </ol>
 */
public final class Settling {
    private Settling() {}

    /** One write: access to Consul, and the remaining time. */
    public interface Write {
        TxnOutcome send();

        /**
         * Reads the key from the leader, and returns whether it shows the write.
         *
         * @throws ConsulException if Consul does not answer
         */
        boolean isApplied();

        /** Whether no time is left for another attempt after this number of failures. */
        boolean isOver(int failures);

        /** Pauses after this number of failures. */
        void pause(int failures);
    }

    /** The certain result of a write. */
    public sealed interface Result {
        /** Consul has confirmed an attempt. */
        record Committed(TxnOutcome.Committed answer) implements Result {}

        /** A read has shown the effect of an attempt. */
        record Applied() implements Result {}

        /** Consul has not carried out the write and never will. */
        record Refused(TxnOutcome.Conflict answer) implements Result {}
    }

    /**
     * Repeats the write until its result is certain.
     *
     * @throws ConsulException if the result is unknown, or if Consul has carried out no attempt
     */
    public static Result write(Write write) {
        boolean unknown = false;
        for (int failures = 1; ; failures++) {
            TxnOutcome outcome = write.send();
            if (outcome instanceof TxnOutcome.Committed committed) {
                return new Result.Committed(committed);
            } else if (outcome instanceof TxnOutcome.Conflict conflict) {
                Result certain = unknown ? afterUnknown(write, conflict) : new Result.Refused(conflict);
                if (certain != null) {
                    return certain;
                }
            }
            unknown |= outcome instanceof TxnOutcome.Unknown;
            ConsulException failure = failure(outcome);
            requireAnotherAttempt(write, failures, unknown ? failure.afterUnknown() : failure);
            write.pause(failures);
            if (unknown && isApplied(write, failures)) {
                return new Result.Applied();
            }
        }
    }

    /**
     * The result of a refusal that follows an attempt with an unknown result; null if the result is
     * still unknown.
     */
    private static @Nullable Result afterUnknown(Write write, TxnOutcome.Conflict conflict) {
        try {
            if (write.isApplied()) {
                return new Result.Applied();
            }
        } catch (ConsulException failed) {
            throw failed.afterUnknown();
        }
        boolean delayed = conflict.obstacles().stream().anyMatch(Obstacle::isLockDelay);
        return delayed ? null : new Result.Refused(conflict);
    }

    private static ConsulException failure(TxnOutcome outcome) {
        if (outcome instanceof TxnOutcome.NotDone failed) {
            return failed.cause();
        } else if (outcome instanceof TxnOutcome.Unknown failed) {
            return failed.cause();
        }
        return new ConsulException(
                FailureKind.UNAVAILABLE, Effect.UNKNOWN, "Consul's lock delay leaves the result of a write unknown");
    }

    /**
     * Returns false if Consul does not answer the read, because the same write is then sent again.
     */
    private static boolean isApplied(Write write, int failures) {
        try {
            return write.isApplied();
        } catch (ConsulException failed) {
            requireAnotherAttempt(write, failures, failed.afterUnknown());
            return false;
        }
    }

    private static void requireAnotherAttempt(Write write, int failures, ConsulException failure) {
        if (!failure.isOutage() || write.isOver(failures)) {
            throw failure;
        }
    }
}
