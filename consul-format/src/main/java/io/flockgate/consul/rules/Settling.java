package io.flockgate.consul.rules;

import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.consul.kv.TxnOutcome.Obstacle;
import org.jspecify.annotations.Nullable;

/**
 * Writes until the result is certain. A write is conditional on the state of the key, so only one
 * of several attempts can have an effect.
 *
 * <ol>
 *   <li>Send the transaction. If Consul commits it, it is done. If Consul refuses it, and no
 *       earlier attempt has an unknown result, it is refused.
 *   <li>A refusal because of the lock delay says nothing about an earlier attempt with an unknown
 *       result, which may come after the delay: read, pause, and send it again. All other refusals
 *       are final, for earlier attempts as well.
 *   <li>If an attempt has an unknown result, read the key. If it shows the write, the write is
 *       done.
 *   <li>Otherwise pause, and send the same transaction again.
 *   <li>When the time is over, the result stays unknown, and the caller gets the failure.
 * </ol>
 */
public final class Settling {
    private Settling() {}

    /** The way to Consul, and the time that there is. */
    public interface Write {
        /** Sends the transaction. */
        TxnOutcome send();

        /**
         * Reads the key from the leader, and looks for the write.
         *
         * @throws ConsulException when there is no answer
         */
        boolean isApplied();

        /** Whether no time is left for another attempt, after this number of failures. */
        boolean isOver(int failures);

        /** Pauses after this number of failures. */
        void pause(int failures);
    }

    /** The certain result of a write. */
    public sealed interface Result {
        /** An attempt was answered with success. */
        record Committed(TxnOutcome.Committed answer) implements Result {}

        /** A read has shown the effect of an attempt. */
        record Applied() implements Result {}

        /** Consul has not carried out the write and never will. */
        record Refused(TxnOutcome.Conflict answer) implements Result {}
    }

    /**
     * Writes.
     *
     * @throws ConsulException if the result is unknown, or Consul has carried out nothing
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
     * The result after a refusal and an earlier attempt with an unknown result; null if it is still
     * unknown.
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

    /** False also if Consul does not answer the read: the same write is sent again. */
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
