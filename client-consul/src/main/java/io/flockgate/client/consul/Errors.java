package io.flockgate.client.consul;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.http.HttpFailure;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.kv.Failures;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Failures of requests to Consul: those of this client's own making, and all of them in the words
 * of a lease.
 */
final class Errors {
    private Errors() {}

    /** A failure to write a grant, which may stand all the same. */
    static final class GrantUncertainException extends ConsulException {
        private static final long serialVersionUID = 1L;

        GrantUncertainException(ConsulException failed) {
            super(failed.kind(), failed.effect(), String.valueOf(failed.getMessage()), failed);
        }
    }

    /** Consul must not be used as it is. */
    static ConsulException invalid(String why) {
        return new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, why);
    }

    /** There is no answer that can be read. */
    static ConsulException unavailable(Effect effect, String why) {
        return new ConsulException(FailureKind.UNAVAILABLE, effect, why);
    }

    /** The failure for a request without an answer. */
    static ConsulException unanswered(URI agent, HttpFailure failed) {
        return switch (failed.kind()) {
            case NO_TIME -> unavailable(Effect.NOT_DONE, "no time is left to ask Consul at " + agent.getAuthority());
            case STOPPED -> unavailable(Effect.UNKNOWN, "the request was given up");
            case LATE -> unavailable(Effect.UNKNOWN, "no answer from Consul at " + agent.getAuthority() + " in time");
            case UNREACHED, BROKEN ->
                Failures.unanswered(
                        FailureKind.UNAVAILABLE,
                        failed.maybeSent(),
                        " at " + agent.getAuthority(),
                        String.valueOf(failed.getMessage()),
                        failed.reason());
        };
    }

    /** The agents for messages. */
    static String servers(List<URI> agents) {
        return "Consul at " + agents.stream().map(URI::getAuthority).collect(Collectors.joining(", "));
    }

    /**
     * The failure for users.
     *
     * @param mayHold whether Consul may hold a slot for the caller because of this failure
     * @param agents named in the message, unless it names one already
     */
    static RuntimeException told(ConsulException failed, boolean mayHold, List<URI> agents) {
        String words = String.valueOf(failed.getMessage());
        boolean named = agents.stream().anyMatch(agent -> words.contains(agent.getAuthority()));
        String message = named ? words : servers(agents) + ": " + words;
        if (failed.mayBeDone() || failed.isOutage()) {
            return new LeaseUnavailableException(message, mayHold, failed.getCause());
        }
        return failed.kind() == FailureKind.DENIED
                ? new LeaseAuthException(message)
                : new LeaseConfigException(message);
    }
}
