package io.flockgate.client.tcp;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Contended;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseRefusedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.support.Refusals;
import io.flockgate.client.support.Tokens;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the server's replies. Pure. A reply that is not a certain answer is thrown as a {@link
 * LeaseUnavailableException}, {@link LeaseAuthException}, {@link LeaseRefusedException} or {@link
 * LeaseConfigException}.
 */
final class Replies {
    private static final String INCARNATION = "incarnation=";
    private static final String ERROR = "error_";

    private Replies() {}

    /**
     * The answer to {@code l} or {@code sl}. Only tokens of Flockgate begin with a fence; those of
     * dflockd are random.
     */
    static AcquireResult acquired(String reply, AcquireRequest request, LineConnection from) {
        String[] words = reply.split(" ", -1);
        if (words.length == 3 && words[0].equals("ok")) {
            OptionalLong fence = from.detached() ? Tokens.fence(words[1]) : OptionalLong.empty();
            return new Granted(words[1], fence, seconds(words[2], request.ttl()));
        }
        if (reply.equals("timeout")
                || (reply.equals("error_max_waiters") && request.maxWait().isZero())) {
            return new Contended();
        }
        if (reply.equals("error_limit_mismatch")) {
            throw Refusals.otherLimit(from.server().toString(), request);
        }
        throw failure(reply, "the claim to " + request.name(), from.server());
    }

    /**
     * The answer to {@code n}. A server without the option "reasons" has the same word for a grant
     * that is not held and for its own failures.
     */
    static RenewResult renewed(String reply, GrantRequest request, LineConnection from) {
        String[] words = reply.split(" ", -1);
        if (words.length == 2 && words[0].equals("ok")) {
            return new RenewResult.Renewed(seconds(words[1], request.ttl()));
        }
        if (isNotHeld(reply, from.reasons())) {
            return new RenewResult.NotHeld();
        }
        throw failure(reply, "the renewal of " + request.name(), from.server());
    }

    /** The answer to {@code r}. */
    static ReleaseResult released(String reply, GrantRequest request, LineConnection from) {
        if (reply.equals("ok")) {
            return ReleaseResult.RELEASED;
        }
        if (isNotHeld(reply, from.reasons())) {
            return ReleaseResult.NOT_HELD;
        }
        throw failure(reply, "the release of " + request.name(), from.server());
    }

    /**
     * The id of the server's grants among the options that its answer to {@code hello} accepts;
     * null if it reports none.
     */
    static @Nullable String incarnation(List<String> options) {
        return options.stream()
                .filter(option -> option.startsWith(INCARNATION))
                .map(option -> Losses.valid(option.substring(INCARNATION.length())))
                .findFirst()
                .orElse(null);
    }

    /**
     * The address of the server's REST API, which is at the same address of its host, if the
     * options that its answer to {@code hello} accepts name the port; otherwise null.
     */
    static @Nullable URI restApi(List<String> options, ServerAddress server) {
        return options.stream()
                .filter(option -> option.matches("https?=[0-9]{1,5}"))
                .map(option -> option.split("=", -1))
                .map(words -> URI.create(words[0] + "://" + server.reachedAt(Integer.parseInt(words[1]))))
                .findFirst()
                .orElse(null);
    }

    /** True if the server directs its clients to another server. */
    static boolean isDraining(String reply) {
        return reply.equals("error_draining");
    }

    private static boolean isNotHeld(String reply, boolean reasons) {
        return reply.equals(reasons ? "error_not_held" : "error");
    }

    /**
     * A failure as an exception. After a certain refusal nothing is held; after anything else,
     * something might be.
     */
    static RuntimeException failure(String reply, String what, ServerAddress server) {
        if (reply.equals("error_auth")) {
            return new LeaseAuthException(
                    server
                            + " does not accept the token of this client, which has none, or one that is wrong or has no right to the key");
        }
        String code = reply.startsWith(ERROR) ? reply.substring(ERROR.length()) : "";
        if (Refusals.isLimit(code)) {
            return Refusals.of(code, server.toString(), what);
        }
        if (isDraining(reply)) {
            return new LeaseUnavailableException(Refusals.draining(server.toString(), what), false, null);
        }
        boolean certain = reply.equals("error_lease_expired");
        return new LeaseUnavailableException(server + " answers " + what + " with " + shown(reply), !certain, null);
    }

    /**
     * A reply for use in a message; a malformed one may contain anything, and a grant contains a
     * secret.
     */
    private static String shown(String reply) {
        return reply.matches("error[a-z_]{0,60}|timeout") ? reply : "something that is not a reply";
    }

    private static Duration seconds(String word, Duration otherwise) {
        try {
            return Duration.ofSeconds(Long.parseUnsignedLong(word));
        } catch (NumberFormatException | ArithmeticException malformed) {
            return otherwise;
        }
    }
}
