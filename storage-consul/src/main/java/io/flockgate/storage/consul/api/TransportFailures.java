package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.text.Reason;

/** Classifies requests that Ecwid's client could not carry out. */
final class TransportFailures {
    private TransportFailures() {}

    /**
     * The failure for a request without an answer.
     *
     * @param agent the address of the agent, for operators
     */
    static ConsulException of(Throwable failure, ConsulAddress agent, boolean sent, boolean closed) {
        if (closed) {
            return new ConsulException(
                    FailureKind.CLOSED,
                    sent ? Effect.UNKNOWN : Effect.NOT_DONE,
                    "the client of Consul has been closed",
                    failure);
        }
        boolean tooLarge = failure instanceof BoundedHttpClient.AnswerTooLargeException;
        FailureKind kind = tooLarge ? FailureKind.INVALID : FailureKind.UNAVAILABLE;
        return Failures.unanswered(kind, sent, " at " + agent, Reason.of(failure), failure);
    }
}
