package io.flockgate.client.rest;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.json.JsonArray;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.rest.RestException.Kind;
import io.flockgate.client.rest.RestHttp.Answer;
import io.flockgate.client.support.Refusals;
import io.flockgate.client.support.Tokens;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the server's answers. Pure. An answer that is not certain is thrown: as a {@link
 * RestException} if another attempt may help, otherwise as a {@link LeaseAuthException} or a {@link
 * LeaseConfigException}.
 */
final class Replies {
    private static final Duration NONE = Duration.ofSeconds(-1);

    /** Refusals that happen before anything was done, and may be temporary. */
    private static final Set<String> BUSY = Set.of("overloaded", "fence_persistence", "lease_expired");

    private Replies() {}

    /**
     * The answer to a claim. Only tokens of Flockgate begin with a fence; those of dflockd are
     * random.
     */
    static AcquireResult acquired(Answer answer, AcquireRequest request, boolean fences) throws RestException {
        if (answer.status() == 200) {
            return granted(answer, request, fences);
        }
        if (answer.code().equals("max_waiters") && request.maxWait().isZero()) {
            return new AcquireResult.Contended();
        }
        if (answer.code().equals("limit_mismatch")) {
            throw Refusals.otherLimit(answer.server(), request);
        }
        throw failure(answer, "the claim to " + request.name());
    }

    private static AcquireResult granted(Answer answer, AcquireRequest request, boolean fences) throws RestException {
        try {
            String status = String.valueOf(answer.body().string("status"));
            String token = answer.body().string("token");
            if (status.equals("timeout")) {
                return new AcquireResult.Contended();
            }
            if (status.equals("ok") && token != null && !token.isEmpty()) {
                OptionalLong fence = fences ? Tokens.fence(token) : OptionalLong.empty();
                return new AcquireResult.Granted(token, fence, seconds(answer, "lease_ttl_s", request.ttl()));
            }
        } catch (JsonException malformed) {
            // Reported below.
        }
        throw noGateway(answer, "the claim to " + request.name(), true);
    }

    /** The answer to a renewal. */
    static RenewResult renewed(Answer answer, GrantRequest request) throws RestException {
        if (answer.status() == 200) {
            return new RenewResult.Renewed(remaining(answer, "the renewal of " + request.name()));
        }
        if (answer.code().equals("not_held")) {
            return new RenewResult.NotHeld();
        }
        throw failure(answer, "the renewal of " + request.name());
    }

    /** The answer to a release. */
    static ReleaseResult released(Answer answer, GrantRequest request) throws RestException {
        if (answer.status() == 204) {
            return ReleaseResult.RELEASED;
        }
        if (answer.status() < 300) {
            throw noGateway(answer, "the release of " + request.name(), true);
        }
        if (answer.code().equals("not_held")) {
            return ReleaseResult.NOT_HELD;
        }
        throw failure(answer, "the release of " + request.name());
    }

    /** The answer to a ping: the tokens of the grants that this client has lost. */
    static List<String> lost(Answer answer) throws RestException {
        if (answer.status() == 204) {
            return List.of();
        }
        if (answer.status() != 200) {
            throw failure(answer, "a ping");
        }
        try {
            JsonArray tokens = answer.body().array("lost");
            return tokens == null ? List.of() : tokens.strings();
        } catch (JsonException malformed) {
            throw noGateway(answer, "a ping", false);
        }
    }

    /**
     * A refusal as an exception. After a certain refusal nothing is held; after anything else,
     * something might be.
     */
    static RestException failure(Answer answer, String what) {
        String message = answer.server() + " answers " + what + " with " + answer.words();
        return switch (answer.status()) {
            case 401 ->
                throw new LeaseAuthException(
                        answer.server() + " does not accept the token of this client, which has none or a wrong one: "
                                + answer.words());
            case 403 ->
                throw new LeaseAuthException(answer.server() + " grants the token of this client no right to " + what
                        + ": " + answer.words());
            case 400, 421 -> throw new LeaseConfigException(message);
            case 410 -> new RestException(Kind.SESSION_GONE, false, message, null);
            case 429 -> RestException.refused(Refusals.of("rate_limited", answer.server(), what), answer.retryAfter());
            default -> failureByCode(answer, what, message);
        };
    }

    private static RestException failureByCode(Answer answer, String what, String message) {
        if (answer.status() < 400 || answer.status() == 404 || answer.status() == 405) {
            return noGateway(answer, what, false);
        }
        if (answer.code().equals("draining")) {
            return new RestException(Kind.ELSEWHERE, false, Refusals.draining(answer.server(), what), null);
        }
        if (Refusals.isLimit(answer.code())) {
            return RestException.refused(Refusals.of(answer.code(), answer.server(), what), answer.retryAfter());
        }
        if (BUSY.contains(answer.code())) {
            return RestException.later(message, answer.retryAfter());
        }
        if (answer.status() == 503 && answer.code().isEmpty()) {
            // A proxy without a gateway behind it.
            return new RestException(Kind.ELSEWHERE, true, message, null);
        }
        return new RestException(Kind.LATER, answer.status() >= 500, message, null);
    }

    /**
     * The answer does not come from a gateway: a redirect, another server, or a page from a proxy.
     */
    private static RestException noGateway(Answer answer, String what, boolean maybeDone) {
        return new RestException(
                Kind.ELSEWHERE,
                maybeDone,
                "the answer of " + answer.server() + " to " + what + " is not a gateway's: is the address right?",
                null);
    }

    /**
     * The remaining time of a lease. An answer without it is a page from an intermediary, such as a
     * proxy, and proves nothing.
     */
    private static Duration remaining(Answer answer, String what) throws RestException {
        Duration rest = seconds(answer, "remaining_s", NONE);
        if (rest.isNegative()) {
            throw noGateway(answer, what, true);
        }
        return rest;
    }

    /** The value of a field, as a number of seconds. */
    static Duration seconds(Answer answer, String field, Duration otherwise) {
        try {
            @Nullable Long seconds = answer.body().number(field);
            return seconds == null || seconds < 0 ? otherwise : Duration.ofSeconds(seconds);
        } catch (JsonException malformed) {
            return otherwise;
        }
    }
}
