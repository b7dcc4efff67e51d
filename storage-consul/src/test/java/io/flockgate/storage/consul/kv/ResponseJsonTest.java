package io.flockgate.storage.consul.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseJsonTest {
    private static final String ENTRIES = """
        [{"LockIndex":1,"Key":"a/.lock","Flags":16210313421097356768,"Value":"eyJ2IjoxfQ==",
          "Session":"s-1","CreateIndex":7,"ModifyIndex":18446744073709551615,"Later":{"x":[1]}},
         {"LockIndex":0,"Key":"a/é","Flags":0,"Value":null,"Session":"","CreateIndex":8,"ModifyIndex":9}]\
        """;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void entriesAreReadFromAStream() throws IOException {
        List<KvEntry> entries = ResponseJson.entries(new ByteArrayInputStream(bytes(ENTRIES)));
        assertThat(entries).hasSize(2);
        KvEntry first = entries.get(0);
        assertThat(first.key()).isEqualTo("a/.lock");
        assertThat(first.flags()).isEqualTo(0xe0f69a2baa414de0L);
        assertThat(first.value()).isEqualTo(bytes("{\"v\":1}"));
        assertThat(first.session()).isEqualTo("s-1");
        assertThat(first.createIndex()).isEqualTo(7);
        assertThat(first.modifyIndex()).isEqualTo(-1);
        assertThat(entries.get(1).key()).isEqualTo("a/é");
        assertThat(entries.get(1).session()).isNull();
        assertThat(entries.get(1).value()).isEmpty();
    }

    @Test
    void theFormsOfAnswersAreRead() {
        String transaction = "{\"Results\":[{\"KV\":{\"Key\":\"a\",\"ModifyIndex\":5}},{\"Node\":{}},{\"KV\":null}],"
                + "\"Errors\":null,\"Index\":5}";
        assertThat(ResponseJson.results(transaction))
                .singleElement()
                .extracting(KvEntry::modifyIndex)
                .isEqualTo(5L);
        assertThat(ResponseJson.obstacles("{\"Errors\":[{\"OpIndex\":3,\"What\":\"stale\"}]}"))
                .containsExactly(new Obstacle(3, "stale"));
        assertThat(ResponseJson.id("{\"ID\":\"s\"}")).isEqualTo("s");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[1]",
                "[{}]",
                "[{\"Key\":1}]",
                "[{\"Key\":\"a\",\"Flags\":-1}]",
                "[{\"Key\":\"a\"}] x",
                "[{\"Key\":\"a\",\"Value\":\"!\"}]",
                "[{\"Key\":\"a\",\"ModifyIndex\":1.0}]",
                "[{\"Key\":\"a\"}"
            })
    void aListOfAnotherFormIsRefused(String text) {
        assertThatThrownBy(() -> ResponseJson.entries(new ByteArrayInputStream(bytes(text))))
                .isInstanceOf(JsonException.class);
    }

    @Test
    void whatIsMissingIsRefused() {
        List<Function<String, Object>> readings =
                List.of(ResponseJson::results, ResponseJson::obstacles, ResponseJson::id);
        for (Function<String, Object> reading : readings) {
            assertThatThrownBy(() -> reading.apply("{}")).isInstanceOf(JsonException.class);
        }
    }
}
