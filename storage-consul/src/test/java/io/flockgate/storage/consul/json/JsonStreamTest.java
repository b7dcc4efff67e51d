package io.flockgate.storage.consul.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("RefactorSwitch")
class JsonStreamTest {
    /** Returns few bytes at a time. */
    private static JsonStream dripping(byte[] text, int most) {
        return new JsonStream(new FilterInputStream(new ByteArrayInputStream(text)) {
            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                return super.read(bytes, from, Math.min(length, most));
            }
        });
    }

    private static boolean takes(JsonStream json) throws IOException {
        try {
            json.skip();
            json.end();
            return true;
        } catch (JsonException refused) {
            return false;
        }
    }

    private static boolean readerTakes(byte[] text) {
        try {
            return JsonReader.read(text, 1 << 20) != null;
        } catch (JsonException refused) {
            return false;
        }
    }

    private static void agree(byte[] text) throws IOException {
        byte[] before = text.clone();
        boolean taken = readerTakes(text);
        assertThat(takes(new JsonStream(text))).as(new String(text, UTF_8)).isEqualTo(taken);
        assertThat(takes(dripping(text, 1))).as(new String(text, UTF_8)).isEqualTo(taken);
        assertThat(text).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1.5e+10",
                " [ false , null ] ",
                "{\"a\":{\"b\":[1,\"x\\\"y\\u00e9\"]},\"c\":{}}",
                "\"é😀\\ud83d\\ude00\"",
                "",
                "{",
                "\"a",
                "\"a\\",
                "\"a\\\"",
                "\"\\ud83d\"",
                "\"\n\"",
                "[1,]",
                "[1 2]",
                "[,1]",
                "[1}",
                "{\"a\":1]",
                "{\"a\"}",
                "{\"a\":1,}",
                "{a:1}",
                "01",
                "1.",
                "nul",
                "nullx",
                "1 2",
                "{}}",
                "\uFEFF{}",
            })
    void takesWhatTheReaderTakes(String text) throws IOException {
        agree(text.getBytes(UTF_8));
    }

    @Test
    void takesWhatTheReaderTakesOfDamagedTexts() throws IOException {
        byte[] whole = "{\"a\":[1,-2.5e3,\"\\u00e9é\\n\",{\"b\":null}],\"c\":true}".getBytes(UTF_8);
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            agree(damaged);
        }
    }

    @Test
    void depthIsBounded() throws IOException {
        agree(("[".repeat(JsonReader.MAX_DEPTH) + "]".repeat(JsonReader.MAX_DEPTH)).getBytes(UTF_8));
        agree(("[".repeat(JsonReader.MAX_DEPTH + 1) + "]".repeat(JsonReader.MAX_DEPTH + 1)).getBytes(UTF_8));
        agree("{\"a\":".repeat(100_000).getBytes(UTF_8));
    }

    @Test
    void readsValuesAcrossTheBuffer() throws IOException {
        String longText = "é".repeat(30_000);
        byte[] text = ("{\"long\":\"" + longText + "\",\"none\":null,\"value\":\"AAECAw==\","
                        + "\"flags\":16210313421097356768,\"names\":[\"a\",\"b\"],\"more\":[{}]}")
                .getBytes(UTF_8);
        for (JsonStream json : List.of(new JsonStream(text), dripping(text, 7), dripping(text, 100_000))) {
            List<Object> read = new ArrayList<>();
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                read.add(value(name, json));
            }
            json.end();
            assertThat(read)
                    .containsExactly(
                            longText,
                            "null",
                            List.of((byte) 0, (byte) 1, (byte) 2, (byte) 3),
                            0xe0f69a2baa414de0L,
                            List.of("a", "b"),
                            "skipped");
        }
    }

    private static Object value(String name, JsonStream json) throws IOException {
        switch (name) {
            case "long" -> {
                return json.string();
            }
            case "value" -> {
                List<Byte> bytes = new ArrayList<>();
                for (byte b : json.base64()) {
                    bytes.add(b);
                }
                return bytes;
            }
            case "flags" -> {
                return json.unsigned();
            }
            case "names" -> {
                List<String> names = new ArrayList<>();
                json.beginList();
                while (json.nextItem()) {
                    names.add(json.string());
                }
                return names;
            }
            case "none" -> {
                return json.isNull() ? "null" : "something";
            }
            default -> {
                json.skip();
                return "skipped";
            }
        }
    }

    private interface Reading {
        @Nullable
        Object read(JsonStream json) throws IOException;
    }

    private static void refused(String text, Reading reading) {
        assertThatThrownBy(() -> reading.read(new JsonStream(text.getBytes(UTF_8))))
                .isInstanceOf(JsonException.class)
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void anotherFormIsRefused() {
        refused("-1", JsonStream::unsigned);
        refused("1.5", JsonStream::unsigned);
        refused("18446744073709551616", JsonStream::unsigned);
        refused("\"1\"", JsonStream::unsigned);
        refused("null", JsonStream::unsigned);
        refused("1", JsonStream::string);
        refused("\"s3cret!\"", JsonStream::base64);
        refused("{}", json -> {
            json.beginList();
            return null;
        });
        refused("[]", json -> {
            json.beginObject();
            return null;
        });
    }
}
