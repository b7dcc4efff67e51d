package io.flockgate.storage.consul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.json.JsonValue.Digits;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrictJsonTest {
    /** A value as the member of an object, because only objects are read. */
    private static JsonObject read(String value) {
        return StrictJson.read(("{\"a\":" + value + "}").getBytes(StandardCharsets.UTF_8), 1 << 20);
    }

    private static String text(JsonObject object) {
        return new String(object.toBytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "-0",
                "-1.5e+10",
                "16210313421097356768",
                "[false,null]",
                "\"\\\"\\\\\\u0000é😀\"",
                "[[[1],{}],{\"x\":true}]",
            })
    void whatIsReadIsWrittenAsItWas(String text) {
        assertThat(text(read(text))).isEqualTo("{\"a\":" + text + "}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", "1", "null", "{} {}", "{}x", "{}}", "\uFEFF{}", "//\n{}"})
    void anythingButOneObjectIsRefused(String text) {
        assertThatThrownBy(() -> StrictJson.read(text.getBytes(StandardCharsets.UTF_8), 100))
                .isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> StrictJson.read("{}".getBytes(StandardCharsets.UTF_16BE), 100))
                .isInstanceOf(JsonException.class);
    }

    /** What Jackson accepts by default or as an option. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[",
                "\"\\ud800\"",
                "\"\\ude00\\ud83d\"",
                "\"\n\"",
                "[1,]",
                "{a:1}",
                "{\"a\":1,\"a\":2}",
                "01",
                "+1",
                "NaN",
                "1 2",
                "'a'",
                "[1]//",
                "\uFFFF",
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(JsonException.class);
    }

    @Test
    void textThatIsNoUtf8IsRefused() {
        for (byte[] text : List.of(
                new byte[] {'{', '"', (byte) 0xc3, '"', ':', '1', '}'},
                new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', ':', '1', '}'},
                new byte[] {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'})) {
            assertThatThrownBy(() -> StrictJson.read(text, 10)).isInstanceOf(JsonException.class);
        }
    }

    @Test
    void sizeAndDepthAreBounded() {
        assertThatThrownBy(() -> StrictJson.read("{\"a\":1}".getBytes(StandardCharsets.UTF_8), 6))
                .isInstanceOf(JsonException.class);
        String deepest = "[".repeat(StrictJson.MAX_DEPTH - 1) + "]".repeat(StrictJson.MAX_DEPTH - 1);
        assertThat(text(read(deepest))).isEqualTo("{\"a\":" + deepest + "}");
        assertThatThrownBy(() -> read("[" + deepest + "]")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> read("{\"a\":".repeat(100_000))).isInstanceOf(JsonException.class);
        String longest = "1".repeat(StrictJson.MAX_NUMBER);
        assertThat(read(longest).get("a")).isEqualTo(new Digits(longest));
        assertThatThrownBy(() -> read(longest + "1")).isInstanceOf(JsonException.class);
        String name = "x".repeat(500_000);
        assertThat(read("{\"" + name + "\":1}").get("a"))
                .isEqualTo(JsonObject.builder().put(name, 1).build());
    }

    @Test
    void messagesQuoteNothing() {
        assertThatThrownBy(() -> read("{\"token\":\"s3cret\" s3cret")).hasMessageNotContaining("s3cret");
    }

    @Test
    void everyTextSurvives() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            String text = random.ints(random.nextInt(12), 0, 0x11000)
                    .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            JsonObject object = JsonObject.builder().put(text, text).build();
            assertThat(StrictJson.read(object.toBytes(), 1 << 20)).isEqualTo(object);
        }
    }

    @Test
    void gettersDistinguishMissingFromWrong() {
        String fields = "{\"s\":\"x\",\"n\":7,\"u\":16210313421097356768,\"f\":1.5,\"z\":null}";
        JsonObject object = StrictJson.read(fields.getBytes(StandardCharsets.UTF_8), 100);

        assertThat(object.string("s")).isEqualTo("x");
        assertThat(object.number("n")).isEqualTo(7);
        assertThat(object.string("z")).isNull();
        assertThat(object.number("z")).isNull();
        assertThat(object.string("gone")).isNull();
        assertThat(object.number("gone")).isNull();
        assertThatThrownBy(() -> object.number("f")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.number("u")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.number("s")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.string("n")).isInstanceOf(JsonException.class);
    }

    @Test
    void aRewriteKeepsWhatItDoesNotKnow() {
        JsonObject read = StrictJson.read("{\"b\":1,\"x\":1.50,\"a\":2}".getBytes(StandardCharsets.UTF_8), 100);

        assertThat(text(read.without(Set.of("a")).toBuilder()
                        .put("b", 3)
                        .putTrue("c")
                        .build()))
                .isEqualTo("{\"b\":3,\"x\":1.50,\"c\":true}");
    }
}
