package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.KeyQueue.QueueState;
import io.flockgate.cli.shared.Json.JsonAnswer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The waiting line, from what a server reports. */
class QueueTextTest {
    private static final String ONE_HOLDER = """
            {"key":"deploy","kind":"lock","limit":1,"holder_count":1,"waiter_count":5,
             "holders":[{"conn_id":7,"via":"session","held_s":185.2,"name":"ci-7","address":"192.0.2.7:51044"}],
             "queue":[{"position":1,"conn_id":8,"via":"connection","waiting_s":40.0},
                      {"position":2,"conn_id":9,"via":"session","waiting_s":12.1,"name":"me"},
                      {"position":3,"conn_id":10,"via":"session","waiting_s":3.0,"name":"me"}]}""";

    private static String text(String document, String name, Duration since) {
        QueueState state = QueueState.of(JsonAnswer.of(document).orElseThrow(), name, since);
        return QueueState.text("deploy", Optional.of(state), since);
    }

    /** Of several waiters with our name, we are the one that has waited as long. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            deploy           | deploy           | me       | 12  | waiting for deploy for 12s: 2nd of 5, held by ci-7 for 3m5s
            deploy           | deploy           | me       | 3   | waiting for deploy for 3s: 3rd of 5, held by ci-7 for 3m5s
            deploy           | deploy           | me       | 500 | waiting for deploy for 8m20s: 2nd of 5, held by ci-7 for 3m5s
            deploy           | deploy           | stranger | 12  | waiting for deploy for 12s: 5 in the queue, held by ci-7 for 3m5s
            "name":"ci-7",   | "x":0,           | me       | 12  | waiting for deploy for 12s: 2nd of 5, held by 192.0.2.7:51044 for 3m5s
            "name":"ci-7","address":"192.0.2.7:51044" | "x":0 | me | 12 | waiting for deploy for 12s: 2nd of 5, held for 3m5s
            "holder_count":1 | "holder_count":4 | me       | 12  | waiting for deploy for 12s: 2nd of 5, held by ci-7 and 3 others, the longest for 3m5s
            "holder_count":1 | "holder_count":2 | me       | 12  | waiting for deploy for 12s: 2nd of 5, held by ci-7 and 1 other, the longest for 3m5s
            """)
    void theLineTellsPlaceAndHolders(String sent, String other, String name, long seconds, String line) {
        assertThat(text(ONE_HOLDER.replace(sent, other), name, Duration.ofSeconds(seconds)))
                .isEqualTo(line);
    }

    @Test
    void aDocumentOfAnotherKindTellsNothingWrong() {
        assertThat(text("{\"queue\":3,\"holders\":[1],\"waiter_count\":\"x\"}", "me", Duration.ofSeconds(12)))
                .isEqualTo("waiting for deploy for 12s: 1 in the queue");
    }

    @Test
    void withoutNewsTheTimeIsShownAlone() {
        assertThat(QueueState.text("deploy", Optional.empty(), Duration.ofSeconds(75)))
                .isEqualTo("waiting for deploy for 1m15s");
    }
}
