package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply.Content;
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
import org.junit.jupiter.params.provider.EnumSource;

class ReplyTest {
    private static final Grant GRANT = ScriptedStorage.grant("k", 0x18a6c3f2b91d4007L, 0);

    private static String body(Reply reply) {
        return new String(reply.body(), UTF_8);
    }

    private static void expect(Outcome outcome, int status, String json) {
        Reply reply = Reply.of(outcome);
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.content()).isEqualTo(Content.JSON);
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
        "CANCELLED, 410, '{\"error\":\"session_gone\"}'",
        "QUEUED, 200, '{\"status\":\"queued\"}'",
        "TIMEOUT, 200, '{\"status\":\"timeout\"}'",
    })
    void everyOtherOutcomeHasItsStatusAndItsWords(Plain outcome, int status, String json) {
        expect(outcome, status, json);
    }

    @ParameterizedTest
    @CsvSource({"FENCE, fence_persistence", "UNAVAILABLE, storage_unavailable", "CLOSED, storage_unavailable"})
    void troubleOfTheStorageHasACodeAndKeepsItsDetailsToItself(FailureKind trouble, String code) {
        expect(
                new Failed(new StorageException(trouble, Effect.UNKNOWN, "10.0.0.7 said no")),
                503,
                "{\"error\":\"" + code + "\"}");
    }

    @Test
    void aReleaseIsAnsweredByNothingAtAll() {
        Reply reply = Reply.of(Plain.RELEASED);
        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.content()).isEqualTo(Content.NONE);
        assertThat(reply.body()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void noOutcomeEndsTheConnection(Plain outcome) {
        assertThat(Reply.of(outcome).last()).isFalse();
    }

    @Test
    void detailsAndReasonsAreQuoted() {
        assertThat(body(Reply.badRequest("limit must be > 0 \"\n")))
                .isEqualTo("{\"error\":\"bad_request\",\"detail\":\"limit must be \\u003e 0 \\\"\\n\"}\n");
        assertThat(body(Reply.unavailable("a\\b \u00e4")))
                .isEqualTo("{\"status\":\"unavailable\",\"reason\":\"a\\\\b \u00e4\"}\n");
        assertThat(Reply.unavailable("x").status()).isEqualTo(503);
    }

    @Test
    void otherHeadersAndTheLastWordAreAddedToTheSameReply() {
        Reply refused = Reply.methodNotAllowed("GET, HEAD").with("X-Y", "z").asLast();
        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.headers()).containsExactly(new Header("Allow", "GET, HEAD"), new Header("X-Y", "z"));
        assertThat(body(refused)).isEqualTo("{\"error\":\"method_not_allowed\"}\n");
        assertThat(refused.last()).isTrue();
        assertThat(Reply.OK.last()).isFalse();
    }

    @Test
    void aRedirectKeepsMethodAndBodyAndHasNone() {
        Reply redirect = Reply.redirect("/v1/locks/a?b");
        assertThat(redirect.status()).isEqualTo(307);
        assertThat(redirect.headers()).containsExactly(new Header("Location", "/v1/locks/a?b"));
        assertThat(redirect.body()).isEmpty();
        assertThat(redirect.content()).isEqualTo(Content.NONE);
    }

    @Test
    void whatIsNotHttpIsAnsweredInPlainTextAndLast() {
        Reply reply = Reply.unreadable(400, "Bad Request");
        assertThat(body(reply)).isEqualTo("400 Bad Request");
        assertThat(reply.content()).isEqualTo(Content.TEXT);
        assertThat(reply.last()).isTrue();
    }
}
