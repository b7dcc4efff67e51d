package io.flockgate.storage.consul.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static JsonValue read(String text) {
        return JsonReader.read(text.getBytes(StandardCharsets.UTF_8), 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "\"\"",
                "0",
                "-0",
                "-1.5e+10",
                "1E9",
                "16210313421097356768",
                "true",
                "[false,null]",
                "{\"Limit\":2,\"Holders\":{\"a\":true}}",
                "\"\\\"\\\\\\u0000é😀\"",
                "[[[1],{}],\"x\"]",
            })
    void whatIsReadIsWrittenAsItWas(String text) {
        assertThat(read(text)).hasToString(text);
    }

    @Test
    void blanksAndEscapesAreRead() {
        assertThat(read(" { \"a\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\uDE00\" :\t[ 1 ,\r\n2 ] } "))
                .isEqualTo(JsonObject.builder()
                        .put("a/\b\f\n\r\té😀", new JsonArray(List.of(JsonNumber.of(1), JsonNumber.of(2))))
                        .build());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[",
                "\"",
                "\"a",
                "\"\\",
                "\"\\u12",
                "\"\\u12g4\"",
                "\"\\x\"",
                "\"\n\"",
                "\"\\ud83d\"",
                "\"\\ude00\\ud83d\"",
                "[1,]",
                "[1 2]",
                "[,1]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{1:1}",
                "{\"a\":1,\"a\":2}",
                "01",
                "-",
                "+1",
                ".5",
                "1.",
                "1e",
                "1e+",
                "0x1",
                "NaN",
                "nul",
                "True",
                "1 2",
                "{}}",
                "'a'",
                "\uFEFF{}",
                "[1]//",
                "\uFFFF",
                "\u00a01",
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(JsonException.class);
    }

    @Test
    void textThatIsNoUtf8IsRefused() {
        assertThatThrownBy(() -> JsonReader.read(new byte[] {'"', (byte) 0xc3, '"'}, 10))
                .isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> JsonReader.read(new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}, 10))
                .isInstanceOf(JsonException.class);
    }

    @Test
    void sizeAndDepthAreBounded() {
        assertThatThrownBy(() -> JsonReader.read("[1,2]".getBytes(StandardCharsets.UTF_8), 4))
                .isInstanceOf(JsonException.class);
        String deepest = "[".repeat(JsonReader.MAX_DEPTH) + "]".repeat(JsonReader.MAX_DEPTH);
        assertThat(read(deepest)).hasToString(deepest);
        assertThatThrownBy(() -> read("[" + deepest + "]")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> read("{\"a\":".repeat(100_000))).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> read("1".repeat(JsonReader.MAX_NUMBER + 1))).isInstanceOf(JsonException.class);
    }

    @Test
    void messagesQuoteNothing() {
        assertThatThrownBy(() -> read("{\"token\":\"s3cret\" x")).hasMessageNotContaining("s3cret");
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
            assertThat(JsonReader.readObject(object.toBytes(), 1 << 20)).isEqualTo(object);
        }
    }

    @Test
    void cutAndDamagedTextsEndInAnAnswer() {
        byte[] whole = "{\"a\":[1,-2.5e3,\"\\u00e9\\n\",{\"b\":null}],\"c\":true}".getBytes(StandardCharsets.UTF_8);
        Random random = new Random(2);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            try {
                JsonValue value = JsonReader.read(damaged, 1 << 20);
                assertThat(read(value.toString())).isEqualTo(value);
            } catch (JsonException refused) {
                assertThat(refused).hasMessageNotContaining("null\"");
            }
        }
    }

    @Test
    void gettersTellMissingFromWrong() {
        JsonObject object = (JsonObject)
                read(
                        "{\"s\":\"x\",\"n\":7,\"u\":16210313421097356768,\"f\":1.5,\"t\":true,\"z\":null,\"o\":{},\"l\":[\"a\"]}");

        assertThat(object.string("s")).isEqualTo("x");
        assertThat(object.number("n")).isEqualTo(7);
        assertThat(object.isTrue("t")).isTrue();
        assertThat(object.isTrue("gone")).isFalse();
        assertThat(object.object("o")).isEqualTo(JsonObject.EMPTY);
        assertThat(object.array("l")).isEqualTo(JsonArray.ofStrings(List.of("a")));
        assertThat(object.string("z")).isNull();
        assertThat(object.has("z")).isTrue();
        assertThat(object.string("gone")).isNull();
        assertThatThrownBy(() -> object.number("f")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.number("u")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.string("n")).isInstanceOf(JsonException.class);
        assertThatThrownBy(() -> object.isTrue("s")).isInstanceOf(JsonException.class);
    }

    @Test
    void aRewriteKeepsWhatItDoesNotKnow() {
        JsonObject read = (JsonObject) read("{\"b\":1,\"x\":1.50,\"a\":2}");

        assertThat(read.toBuilder().put("b", 3).put("c", true).remove("a").build())
                .hasToString("{\"b\":3,\"x\":1.50,\"c\":true}");
    }
}
