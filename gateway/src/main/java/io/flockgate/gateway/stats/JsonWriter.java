package io.flockgate.gateway.stats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes one JSON document with Jackson's generator, in the form that dflockd's clients expect,
 * with the escapes and numbers of Go's encoder. The text may be taken part by part. Not thread
 * safe.
 */
public final class JsonWriter {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final char REPLACEMENT = '\ufffd';

    /** Half a surrogate pair, which no UTF-8 decodes to, for a byte that is not UTF-8. */
    private static final char FAULT = '\udc00';

    private static final char LINE_SEPARATOR = 0x2028;
    private static final char PARAGRAPH_SEPARATOR = 0x2029;

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .characterEscapes(new GoEscapes())
            .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .build();

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final JsonGenerator generator;

    /** A part of a document. */
    @FunctionalInterface
    public interface Content {
        void writeTo(JsonGenerator json) throws IOException;
    }

    public JsonWriter() {
        try {
            generator = JSON.createGenerator(written);
        } catch (IOException e) {
            throw new UncheckedIOException("no file is involved", e);
        }
    }

    /** The text of a document that is written at once. */
    public static byte[] document(Content content) {
        JsonWriter writer = new JsonWriter();
        byte[] text = writer.part(content);
        try {
            writer.generator.close();
        } catch (IOException e) {
            throw new UncheckedIOException("no file is involved", e);
        }
        return text;
    }

    /** The text of the next part of the document. */
    public byte[] part(Content content) {
        try {
            content.writeTo(generator);
            generator.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("no file is involved", e);
        }
        byte[] text = written.toByteArray();
        written.reset();
        return text;
    }

    /**
     * Writes a string of UTF-8. Each byte that is not UTF-8 becomes an escaped U+FFFD.
     *
     * @return whether all bytes are UTF-8
     */
    @CanIgnoreReturnValue
    public static boolean writeUtf8(JsonGenerator json, byte[] utf8) throws IOException {
        String text = new String(utf8, StandardCharsets.UTF_8);
        boolean exact = text.indexOf(REPLACEMENT) < 0 || Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8);
        json.writeString(exact ? text : marked(utf8));
        return exact;
    }

    /** Decodes in one pass, because bytes that are not UTF-8 must not cost more than others. */
    private static String marked(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result;
        do {
            result = decoder.decode(in, out, true);
            if (result.isMalformed()) {
                for (int i = 0; i < result.length(); i++) {
                    out.put(FAULT);
                }
                in.position(in.position() + result.length());
            }
        } while (result.isMalformed());
        return out.flip().toString();
    }

    /**
     * Writes a field of nanoseconds as seconds, with the shortest decimals, and with an exponent
     * only below a microsecond.
     */
    public static void writeSeconds(JsonGenerator json, String field, long nanos) throws IOException {
        String seconds = Double.toString(nanos / NANOS_PER_SECOND);
        json.writeFieldName(field);
        json.writeNumber(
                nanos > 0 && nanos < 1000
                        ? seconds.replace(".0E", "e").replace('E', 'e')
                        : new BigDecimal(seconds).stripTrailingZeros().toPlainString());
    }

    /** The characters that Go escapes in addition to those that JSON requires. */
    private static final class GoEscapes extends CharacterEscapes {
        private static final long serialVersionUID = 1L;
        private static final SerializableString FAULTY = new SerializedString("\\ufffd");
        private static final SerializableString LINE = new SerializedString("\\u2028");
        private static final SerializableString PARAGRAPH = new SerializedString("\\u2029");

        private final int[] ascii = standardAsciiEscapesForJSON();

        GoEscapes() {
            ascii['<'] = ESCAPE_STANDARD;
            ascii['>'] = ESCAPE_STANDARD;
            ascii['&'] = ESCAPE_STANDARD;
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return ascii;
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return switch (character) {
                case FAULT -> FAULTY;
                case LINE_SEPARATOR -> LINE;
                case PARAGRAPH_SEPARATOR -> PARAGRAPH;
                default -> null;
            };
        }
    }
}
