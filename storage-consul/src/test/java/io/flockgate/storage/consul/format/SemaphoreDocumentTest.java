package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SemaphoreDocumentTest {
    private static SemaphoreDocument parse(String text) {
        return Objects.requireNonNull(SemaphoreDocument.parse(text.getBytes(UTF_8)), text);
    }

    private static String text(SemaphoreDocument document) {
        return new String(document.toBytes(), UTF_8);
    }

    @Test
    void theListOfTheGuideIsReadAndKept() {
        SemaphoreDocument document = parse("{\"Limit\":3,\"Holders\":[\"a\",\"b\"]}");
        assertThat(document.limit()).isEqualTo(3);
        assertThat(document.holders()).containsExactly("a", "b");
        assertThat(text(document.withHolders(List.of("b", "c")))).isEqualTo("{\"Limit\":3,\"Holders\":[\"b\",\"c\"]}");
    }

    @Test
    void theMapOfConsulsOwnToolsIsReadAndKept() {
        SemaphoreDocument document = parse("{\"Limit\":2,\"Holders\":{\"a\":true}}");
        assertThat(document.holders()).containsExactly("a");
        assertThat(text(document.withHolders(List.of("a", "b"))))
                .isEqualTo("{\"Limit\":2,\"Holders\":{\"a\":true,\"b\":true}}");
    }

    @Test
    void holdersAreNeverWrittenAsNullNorLeftOut() {
        assertThat(text(SemaphoreDocument.empty(1, HoldersForm.MAP))).isEqualTo("{\"Limit\":1,\"Holders\":{}}");
        assertThat(text(SemaphoreDocument.empty(1, HoldersForm.LIST))).isEqualTo("{\"Limit\":1,\"Holders\":[]}");
    }

    /** As in Consul's own tools, the number of names counts. */
    @Test
    void whateverStandsBehindAHoldersNameInAMapItCounts() {
        assertThat(parse("{\"Limit\":9,\"Holders\":{\"a\":false,\"b\":0,\"c\":null,\"d\":{}}}")
                        .holders())
                .containsExactly("a", "b", "c", "d");
    }

    @Test
    void aHolderThatIsListedTwiceCountsOnce() {
        assertThat(parse("{\"Limit\":9,\"Holders\":[\"a\",\"a\"]}").holders()).containsExactly("a");
    }

    @Test
    void namesOfFieldsMayBeWrittenSmall() {
        SemaphoreDocument document = parse("{\"limit\":2,\"holders\":{\"a\":true}}");
        assertThat(text(document)).isEqualTo("{\"Limit\":2,\"Holders\":{\"a\":true}}");
    }

    @Test
    void fieldsOfOthersAreKept() {
        String text =
                "{\"Limit\":2,\"Holders\":[],\"owner\":\"db team\",\"n\":1.25,\"big\":123456789012345678901234567890,"
                        + "\"deep\":{\"a\":[1,{\"b\":null}]},\"none\":null,\"é\":true}";
        assertThat(text(parse(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "null",
                "[]",
                "2",
                "{}",
                "{\"Limit\":2}",
                "{\"Limit\":2,\"Holders\":null}",
                "{\"Limit\":2,\"Holders\":\"a\"}",
                "{\"Limit\":2,\"Holders\":[1,2]}",
                "{\"Limit\":2,\"Holders\":[null]}",
                "{\"Limit\":2,\"Holders\":[[\"a\"]]}",
                "{\"Holders\":{}}",
                "{\"Limit\":0,\"Holders\":{}}",
                "{\"Limit\":-1,\"Holders\":{}}",
                "{\"Limit\":1.5,\"Holders\":{}}",
                "{\"Limit\":\"2\",\"Holders\":{}}",
                "{\"Limit\":null,\"Holders\":{}}",
                "{\"Limit\":99999999999999999999,\"Holders\":{}}",
                "{\"Limit\":2,\"Holders\":{}",
                "{\"Limit\":2,\"Holders\":{}} x",
            })
    void whatIsNoDocumentIsNotTakenForOne(String text) {
        assertThat(SemaphoreDocument.parse(text.getBytes(UTF_8))).isNull();
    }

    @Test
    void theLargestValueOfConsulIsRead() {
        String filler = "x".repeat(500 * 1024);
        SemaphoreDocument document = parse("{\"Limit\":2,\"Holders\":[],\"x\":\"" + filler + "\"}");
        assertThat(document.others())
                .isEqualTo(JsonObject.builder().put("x", filler).build());
    }
}
