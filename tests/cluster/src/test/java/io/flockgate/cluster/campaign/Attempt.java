package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import java.util.List;
import java.util.Optional;

/**
 * One client's attempt at a slot, from the claim to its end: its calls in order.
 *
 * @param gateway through which the slot was requested
 * @param calls at least one
 * @param closed when the client began to end its connection, possibly long after the last of the
 *     calls, or had it cut; {@link Long#MAX_VALUE} if it did not
 * @param broken when the client found its connection ended although it had not ended it; {@link
 *     Long#MAX_VALUE} if it did not
 */
record Attempt(String key, int limit, int client, int gateway, List<Call> calls, long closed, long broken) {
    Attempt {
        calls = List.copyOf(calls);
    }

    long asked() {
        return calls.getFirst().sent();
    }

    Optional<Call> grant() {
        return calls.stream().filter(Call::grants).findFirst();
    }

    /** The call whose answer showed that it was in the queue; only two-phase requests have one. */
    Optional<Call> queued() {
        return calls.stream().filter(each -> each.answer() == Answer.QUEUED).findFirst();
    }

    Optional<Call> call(Action action) {
        return calls.stream().filter(each -> each.action() == action).findFirst();
    }

    /**
     * Until when it certainly waited, if it was never granted. Only a timeout shows that: an
     * attempt that ends otherwise may have been granted a slot that it never saw. {@link
     * Long#MIN_VALUE} if nothing is certain.
     */
    long waitedUntil() {
        return calls.stream()
                .filter(each -> each.answer() == Answer.TIMEOUT)
                // The gateway's time begins when the request arrives: no sooner than it was sent.
                .mapToLong(each -> Math.min(each.got(), each.sent() + Bounds.nanos(each.patience())))
                .map(each -> Math.min(each, closed))
                .findFirst()
                .orElse(Long.MIN_VALUE);
    }

    /** When the connection was last certainly open. */
    private long lastAnswer() {
        return calls.stream()
                .filter(each -> each.answer() != Answer.NONE)
                .mapToLong(Call::got)
                .max()
                .orElse(asked());
    }

    /** Until when a holder certainly had its connection. */
    long connectedUntil() {
        return Math.min(closed, broken == Long.MAX_VALUE ? broken : lastAnswer());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(key + " client " + client + " gateway " + gateway);
        for (Call call : calls) {
            text.append(" | ")
                    .append(call.action())
                    .append(call.gateway() == gateway ? "" : "@" + call.gateway())
                    .append(' ')
                    .append(millis(call.sent()))
                    .append("–")
                    .append(millis(call.got()))
                    .append(' ')
                    .append(call.answer())
                    .append(call.fence() == 0 ? "" : " fence " + Long.toUnsignedString(call.fence()))
                    .append(" lease ")
                    .append(call.seconds());
        }
        text.append(closed == Long.MAX_VALUE ? "" : " | closed " + millis(closed));
        return text.append(broken == Long.MAX_VALUE ? "" : " | broken " + millis(broken))
                .toString();
    }

    private static String millis(long nanos) {
        return "%.3f".formatted(io.flockgate.cluster.Seconds.of(nanos));
    }
}
