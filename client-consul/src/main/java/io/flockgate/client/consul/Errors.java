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
 * Creates this client's own failures of requests to Consul, and turns all failures into exceptions
 * of leases.
 */
final class Errors {
    private Errors() {}

    /** A failure to write a grant, which may exist nevertheless. */
    static final class GrantUncertainException extends ConsulException {
        private static final long serialVersionUID = 1L;

        GrantUncertainException(ConsulException failed) {
            super(failed.kind(), failed.effect(), String.valueOf(failed.getMessage()), failed);
        }
    }

    /** A failure that means that Consul must not be used in its current state. */
    static ConsulException invalid(String why) {
        return new ConsulException(FailureKind.INVALID, Effect.NOT_DONE, why);
    }

    /** A failure that means that there is no readable answer. */
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

    /** The agents as messages name them. */
    static String servers(List<URI> agents) {
        return "Consul at " + agents.stream().map(URI::getAuthority).collect(Collectors.joining(", "));
    }

    /**
     * The exception for users.
     *
     * @param mayHold whether Consul may hold a slot for the caller because of this failure
     * @param agents named in the message, unless it names one already
     */
    static RuntimeException forUsers(ConsulException failed, boolean mayHold, List<URI> agents) {
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
