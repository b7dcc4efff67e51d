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
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Encodes requests of the line protocol, and interprets the server's replies. Pure.
 *
 * <p>Names, keys and tokens have no white space, so nothing is escaped. A reply that is not a
 * certain answer is thrown as a {@link LeaseUnavailableException}, {@link LeaseAuthException},
 * {@link LeaseRefusedException} or {@link LeaseConfigException}.
 */
final class Protocol {
    private static final String INCARNATION = "incarnation=";
    private static final String ERROR = "error_";

    private Protocol() {}

    static byte[] auth(String token) {
        return frame("auth", "_", token);
    }

    /**
     * @param id the id of this client, for notifications of its losses
     */
    static byte[] hello(String name, String id) {
        return frame("hello", name, "detached reasons incarnation http alive=2 losses=" + id);
    }

    static byte[] ping() {
        return frame("ping", "_", "_");
    }

    /** The server counts whole seconds. The client itself ends a wait that is to be shorter. */
    static byte[] acquire(AcquireRequest request, Duration wait) {
        long seconds = wait.plusNanos(999_999_999).toSeconds();
        long ttl = request.ttl().toSeconds();
        return request.limit() == 1
                ? frame("l", request.name(), seconds + " " + ttl)
                : frame("sl", request.name(), seconds + " " + request.limit() + " " + ttl);
    }

    static byte[] renew(GrantRequest request) {
        return frame("n", request.name(), request.token() + " " + request.ttl().toSeconds());
    }

    static byte[] release(GrantRequest request) {
        return frame("r", request.name(), request.token());
    }

    private static byte[] frame(String command, String key, String argument) {
        return (command + "\n" + key + "\n" + argument + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The answer to {@code l} or {@code sl}. Only tokens of Flockgate begin with a fence; those of
     * dflockd are random.
     */
    static AcquireResult acquired(String reply, AcquireRequest request, LineConnection from) {
        String[] words = reply.split(" ", -1);
        if (words.length == 3 && words[0].equals("ok")) {
            OptionalLong fence = from.detached() ? fence(words[1]) : OptionalLong.empty();
            return new Granted(words[1], fence, seconds(words[2], request.ttl()));
        }
        if (reply.equals("timeout")
                || (reply.equals("error_max_waiters") && request.maxWait().isZero())) {
            return new Contended();
        }
        if (reply.equals("error_limit_mismatch")) {
            throw new LeaseConfigException(
                    Refusals.otherLimit(from.server().toString(), request.name(), request.limit()));
        }
        throw failure(reply, "the claim to " + request.name(), from.server());
    }

    /** The fence in a token of Flockgate: its first 16 of 32 hex digits. */
    private static OptionalLong fence(String token) {
        return token.matches("[0-9A-Fa-f]{32}")
                ? OptionalLong.of(Long.parseUnsignedLong(token.substring(0, 16), 16))
                : OptionalLong.empty();
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
     * null if it reports none, or something that is no id.
     */
    static @Nullable String incarnation(List<String> options) {
        return options.stream()
                .filter(option -> option.matches(INCARNATION + "[0-9A-Za-z_-]{1,64}"))
                .map(option -> option.substring(INCARNATION.length()))
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
            return new LeaseRefusedException(Refusals.of(code, server.toString(), what));
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
