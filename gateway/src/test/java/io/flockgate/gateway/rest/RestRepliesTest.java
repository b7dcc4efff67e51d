package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies that no transcript shows. */
class RestRepliesTest {
    private static void expect(Outcome outcome, int status, String json) {
        Reply reply = RestReplies.of(outcome);
        assertThat(reply.status()).isEqualTo(status);
        assertThat(new String(reply.body(), UTF_8)).isEqualTo(json + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_ENQUEUED, 503, '{\"error\":\"max_enqueued\",\"detail\":\"too many claims are enqueued in all\"}'",
        "MAX_ENQUEUED_PER_CLIENT, 503, '{\"error\":\"max_enqueued_per_client\","
                + "\"detail\":\"the client has enqueued too many claims\"}'",
        "CANCELLED, 410, '{\"error\":\"session_gone\"}'",
    })
    void anOutcomeHasItsStatusAndItsWords(Plain outcome, int status, String json) {
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
}
