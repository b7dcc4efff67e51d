package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonWriterTest {
    private static String written(JsonWriter.Content content) {
        return new String(JsonWriter.document(content), StandardCharsets.UTF_8);
    }

    private static String quote(String text) {
        String quoted = quoteUtf8(text.getBytes(StandardCharsets.UTF_8));
        assertThat(written(json -> json.writeString(text))).isEqualTo(quoted);
        return quoted;
    }

    private static String quoteBytes(int... bytes) {
        byte[] utf8 = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            utf8[i] = (byte) bytes[i];
        }
        return quoteUtf8(utf8);
    }

    private static String quoteUtf8(byte[] utf8) {
        return written(json -> JsonWriter.writeUtf8(json, utf8));
    }

    private static String seconds(long nanos) {
        String object = written(json -> {
            json.writeStartObject();
            JsonWriter.writeSeconds(json, "s", nanos);
            json.writeEndObject();
        });
        return object.substring("{\"s\":".length(), object.length() - 1);
    }

    @Test
    void stringsAreEscapedAsGoDoesIt() {
        assertThat(quote("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
        assertThat(quote("\b\f\n\r\t")).isEqualTo("\"\\b\\f\\n\\r\\t\"");
        assertThat(quote("\u0000\u000b\u001f")).isEqualTo("\"\\u0000\\u000b\\u001f\"");
        assertThat(quote("<a&b>")).isEqualTo("\"\\u003ca\\u0026b\\u003e\"");
        assertThat(quote("\u2027\u2028\u2029\u202a")).isEqualTo("\"\u2027\\u2028\\u2029\u202a\"");
    }

    @Test
    void allElseStaysAsItIs() {
        assertThat(quote("")).isEqualTo("\"\"");
        assertThat(quote("key/1:2 \u007f\u00e9\ufffd\ud83d\ude00'"))
                .isEqualTo("\"key/1:2 \u007f\u00e9\ufffd\ud83d\ude00'\"");
    }

    @Test
    void eachByteThatIsNotUtf8IsAnEscapedReplacementCharacter() {
        assertThat(quoteBytes(0xff, 'a')).isEqualTo("\"\\ufffda\"");
        assertThat(quoteBytes(0xe2, 0x80, 'a')).isEqualTo("\"\\ufffd\\ufffda\"");
        assertThat(quoteBytes(0xc0, 0x80)).as("overlong").isEqualTo("\"\\ufffd\\ufffd\"");
        assertThat(quoteBytes(0xed, 0xa0, 0x80)).as("surrogate").isEqualTo("\"\\ufffd\\ufffd\\ufffd\"");
        assertThat(quoteBytes(0xf4, 0x90, 0x80, 0x80)).as("too high").isEqualTo("\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
        assertThat(quoteBytes(0xf0, 0x9f, 0x98, 0x80)).isEqualTo("\"\ud83d\ude00\"");
        assertThat(quoteBytes('<', 0xf0, 0x9f, 0x98, 0xef, 0xbf, 0xbd))
                .as("cut short, and a true replacement character")
                .isEqualTo("\"\\u003c\\ufffd\\ufffd\\ufffd\ufffd\"");
    }

    @Test
    void bytesThatAreNoTextCostNoMoreThanTheirEscapes() {
        byte[] name = new byte[256];
        Arrays.fill(name, (byte) 0xff);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        JsonWriter writer = new JsonWriter();
        byte[] unused = writer.part(json -> JsonWriter.writeUtf8(json, name));
        long before = thread.getCurrentThreadAllocatedBytes();
        byte[] again = writer.part(json -> JsonWriter.writeUtf8(json, name));
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
        assertThat(again).hasSizeGreaterThan(256 * 6);
    }

    @Test
    void partsMakeUpTheDocument() {
        JsonWriter writer = new JsonWriter();
        assertThat(writer.part(json -> json.writeStartArray())).isEqualTo(new byte[] {'['});
        assertThat(writer.part(json -> json.writeNumber(1))).isEqualTo(new byte[] {'1'});
        assertThat(writer.part(json -> {})).isEmpty();
        assertThat(writer.part(json -> json.writeNumber(2))).isEqualTo(new byte[] {',', '2'});
        assertThat(writer.part(json -> json.writeEndArray())).isEqualTo(new byte[] {']'});
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1e-9",
        "7, 7e-9",
        "123, 1.23e-7",
        "500, 5e-7",
        "999, 9.99e-7",
        "1000, 0.000001",
        "1001, 0.000001001",
        "500000, 0.0005",
        "250000000, 0.25",
        "1000000000, 1",
        "1500000000, 1.5",
        "60000000000, 60",
        "33123456789, 33.123456789",
        "9223372036000000000, 9223372036",
        "9223372036854775807, 9223372036.854776"
    })
    void secondsAreTheShortestDecimals(long nanos, String text) {
        assertThat(seconds(nanos)).isEqualTo(text);
    }
}
