package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Reply.Header;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.storage.Grant;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestRepliesTest {
    private static final Grant GRANT = ScriptedStorage.grant("k", 0x18a6c3f2b91d4007L, 0);

    private static String body(Reply reply) {
        return new String(reply.body(), UTF_8);
    }

    private static void expect(Outcome outcome, int status, String json) {
        Reply reply = RestReplies.of(outcome);
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.type()).isEqualTo(BodyType.JSON);
        assertThat(reply.headers()).isEmpty();
        assertThat(reply.last()).isFalse();
        assertThat(body(reply)).isEqualTo(json + "\n");
    }

    @Test
    void aGrantHasItsTokenAndItsLease() {
        String token = "18a6c3f2b91d4007e7593c0d46e2bff8";
        expect(new Granted(GRANT, 33), 200, "{\"status\":\"ok\",\"token\":\"" + token + "\",\"lease_ttl_s\":33}");
        expect(
                new Acquired(GRANT, 9_223_372_036L),
                200,
                "{\"status\":\"acquired\",\"token\":\"" + token + "\",\"lease_ttl_s\":9223372036}");
        expect(new Renewed(60), 200, "{\"remaining_s\":60}");
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_HELD, 404, '{\"error\":\"not_held\"}'",
        "LEASE_EXPIRED, 409, '{\"error\":\"lease_expired\",\"detail\":\"lease expired before grant could be observed\"}'",
        "NOT_ENQUEUED, 409, '{\"error\":\"not_enqueued\",\"detail\":\"not enqueued for this key\"}'",
        "ALREADY_ENQUEUED, 409, '{\"error\":\"already_enqueued\",\"detail\":\"already enqueued for this key\"}'",
        "LIMIT_MISMATCH, 409, '{\"error\":\"limit_mismatch\",\"detail\":\"limit mismatch for semaphore key\"}'",
        "MAX_LOCKS, 503, '{\"error\":\"max_locks\",\"detail\":\"max locks reached\"}'",
        "MAX_WAITERS, 503, '{\"error\":\"max_waiters\",\"detail\":\"max waiters reached\"}'",
        "MAX_HOLDERS, 503,"
                + " '{\"error\":\"max_holders\",\"detail\":\"semaphores have too many holders in all (--max-holders)\"}'",
        "MAX_HOLDERS_PER_CLIENT, 503, '{\"error\":\"max_holders_per_client\","
                + "\"detail\":\"the session holds too many slots (--max-holders-per-client)\"}'",
        "MAX_ENQUEUED, 503, '{\"error\":\"max_enqueued\"," + "\"detail\":\"too many claims are enqueued in all\"}'",
        "MAX_ENQUEUED_PER_CLIENT, 503, '{\"error\":\"max_enqueued_per_client\","
                + "\"detail\":\"the client has enqueued too many claims\"}'",
        "CANCELLED, 410, '{\"error\":\"session_gone\"}'",
        "QUEUED, 200, '{\"status\":\"queued\"}'",
        "TIMEOUT, 200, '{\"status\":\"timeout\"}'",
    })
    void everyOtherOutcomeHasItsStatusAndItsWords(Plain outcome, int status, String json) {
        expect(outcome, status, json);
    }

    @ParameterizedTest
    @CsvSource({"FENCE, fence_persistence", "UNAVAILABLE, storage_unavailable", "CLOSED, storage_unavailable"})
    void aFailedStorageHasACodeAndNoDetails(FailureKind kind, String code) {
        expect(
                new Failed(new StorageException(kind, Effect.UNKNOWN, "10.0.0.7 said no")),
                503,
                "{\"error\":\"" + code + "\"}");
    }

    @Test
    void aReleaseIsAnsweredByNothingAtAll() {
        Reply reply = RestReplies.of(Plain.RELEASED);
        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.type()).isEqualTo(BodyType.NONE);
        assertThat(reply.body()).isEmpty();
    }

    @Test
    void detailsAndReasonsAreQuoted() {
        assertThat(body(RestReplies.badRequest("limit must be > 0 \"\n")))
                .isEqualTo("{\"error\":\"bad_request\",\"detail\":\"limit must be \\u003e 0 \\\"\\n\"}\n");
        assertThat(body(RestReplies.unavailable("a\\b \u00e4")))
                .isEqualTo("{\"status\":\"unavailable\",\"reason\":\"a\\\\b \u00e4\"}\n");
        assertThat(RestReplies.unavailable("x").status()).isEqualTo(503);
    }

    @Test
    void aRedirectKeepsMethodAndBodyAndHasNone() {
        Reply redirect = RestReplies.redirect("/v1/locks/a?b");
        assertThat(redirect.status()).isEqualTo(307);
        assertThat(redirect.headers()).containsExactly(new Header("Location", "/v1/locks/a?b"));
        assertThat(redirect.body()).isEmpty();
        assertThat(redirect.type()).isEqualTo(BodyType.NONE);
    }
}
