package io.flockgate.gateway.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class FieldsTest {
    private static final String WHITE_SPACE =
            "\t\n\u000b\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
                    + "\u2028\u2029\u202f\u205f\u3000";

    /** Characters and fragments of them, white space and look-alikes. */
    @Provide
    Arbitrary<byte[]> lines() {
        Arbitrary<byte[]> blank = Arbitraries.of(WHITE_SPACE.chars().boxed().toList())
                .map(c -> Character.toString(c).getBytes(UTF_8));
        Arbitrary<byte[]> other = Arbitraries.of(
                        "a", "1", "-", "\u0080", "\u200b", "\u2010", "\u3001", "\ud83d\ude00", "\u0000")
                .map(text -> text.getBytes(UTF_8));
        Arbitrary<byte[]> piece = Arbitraries.of(0x80, 0x85, 0x9a, 0xa0, 0xa8, 0xc2, 0xe1, 0xe2, 0xe3, 0xf0, 0xff)
                .map(b -> new byte[] {b.byteValue()});
        Arbitrary<byte[]> any = Arbitraries.bytes().map(b -> new byte[] {b});
        return Arbitraries.oneOf(blank, other, piece, any).list().ofMaxSize(12).map(FieldsTest::join);
    }

    private static byte[] join(List<byte[]> parts) {
        ByteBuffer all =
                ByteBuffer.allocate(parts.stream().mapToInt(p -> p.length).sum());
        parts.forEach(all::put);
        return all.array();
    }

    @Example
    void whiteSpaceIsExactlyTheProtocolsSetOfCodePoints() {
        Fields fields = new Fields();
        List<Integer> separating = new ArrayList<>();
        List<Integer> trimmed = new ArrayList<>();
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                String text = Character.toString(c);
                byte[] between = ("a" + text + "b").getBytes(UTF_8);
                fields.split(between, 0, between.length);
                if (fields.count() == 2) {
                    separating.add(c);
                }
                byte[] around = (text + "a" + text).getBytes(UTF_8);
                fields.trim(around, 0, around.length);
                if (fields.to(0) - fields.from(0) == 1) {
                    trimmed.add(c);
                }
            }
        }
        assertThat(separating).isEqualTo(WHITE_SPACE.chars().boxed().toList());
        assertThat(trimmed).isEqualTo(separating);
    }

    @Property(tries = 2000)
    void splittingIsThatOfTheDecodedText(
            @ForAll("lines") byte[] line, @ForAll @IntRange(max = 2) int before, @ForAll @IntRange(max = 2) int after) {
        Fields fields = new Fields();
        byte[] other = {'1', ' ', '2'};
        fields.split(other, 0, other.length);
        byte[] within = within(line, before, after);
        fields.split(within, before, before + line.length);
        List<byte[]> expected = model(line);
        assertThat(fields.count()).isEqualTo(expected.size());
        for (int i = 0; i < Math.min(3, expected.size()); i++) {
            assertThat(Arrays.copyOfRange(within, fields.from(i), fields.to(i))).isEqualTo(expected.get(i));
        }
    }

    @Property(tries = 2000)
    void trimmingIsThatOfTheDecodedText(
            @ForAll("lines") byte[] line, @ForAll @IntRange(max = 2) int before, @ForAll @IntRange(max = 2) int after) {
        Fields fields = new Fields();
        byte[] within = within(line, before, after);
        fields.trim(within, before, before + line.length);
        List<Letter> characters = decode(line);
        while (!characters.isEmpty() && characters.getFirst().blank) {
            characters.removeFirst();
        }
        while (!characters.isEmpty() && characters.getLast().blank) {
            characters.removeLast();
        }
        assertThat(fields.count()).isEqualTo(characters.isEmpty() ? 0 : 1);
        if (!characters.isEmpty()) {
            assertThat(Arrays.copyOfRange(within, fields.from(0), fields.to(0)))
                    .isEqualTo(join(characters.stream().map(c -> c.bytes).toList()));
        }
    }

    @Property(tries = 2000)
    void aNumberIsReadAsBigIntegerReadsItOrNotAtAll(@ForAll("numbers") String text) {
        Fields fields = new Fields();
        byte[] bytes = text.getBytes(ISO_8859_1);
        fields.split(bytes, 0, bytes.length);
        assertThat(fields.count()).isOne();
        assertThat(fields.number(0)).isEqualTo(number(text));
    }

    @Provide
    Arbitrary<String> numbers() {
        Arbitrary<String> near = Arbitraries.bigIntegers()
                .between(BigInteger.TWO.pow(64).negate(), BigInteger.TWO.pow(64))
                .map(BigInteger::toString);
        Arbitrary<String> edge = Arbitraries.integers()
                .between(-20, 20)
                .map(d -> BigInteger.TWO.pow(63).add(BigInteger.valueOf(d)).toString());
        Arbitrary<String> signed = Arbitraries.of("", "+", "-", "0", "-0")
                .flatMap(sign -> Arbitraries.oneOf(near, edge).map(digits -> sign + digits));
        Arbitrary<String> other =
                Arbitraries.strings().withChars("+-0189_x.e/:").ofMinLength(1).ofMaxLength(22);
        return Arbitraries.oneOf(signed, other);
    }

    private static long number(String text) {
        if (!text.matches("[+-]?[0-9]+")) {
            return Fields.NOT_A_NUMBER;
        }
        BigInteger value = new BigInteger(text);
        return value.bitLength() > 63 ? Fields.NOT_A_NUMBER : value.longValueExact();
    }

    private static byte[] within(byte[] line, int before, int after) {
        byte[] within = new byte[before + line.length + after];
        Arrays.fill(within, (byte) 0x80);
        System.arraycopy(line, 0, within, before, line.length);
        return within;
    }

    private static List<byte[]> model(byte[] line) {
        List<byte[]> fields = new ArrayList<>();
        List<byte[]> field = new ArrayList<>();
        for (Letter c : decode(line)) {
            if (!c.blank) {
                field.add(c.bytes);
            } else if (!field.isEmpty()) {
                fields.add(join(field));
                field.clear();
            }
        }
        if (!field.isEmpty()) {
            fields.add(join(field));
        }
        return fields;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Letter(byte[] bytes, boolean blank) {}

    /**
     * Decodes the shortest valid characters from the front, and single bytes where there are none.
     */
    private static List<Letter> decode(byte[] line) {
        List<Letter> characters = new ArrayList<>();
        for (int i = 0; i < line.length; ) {
            int length = 1;
            String text = "";
            for (int n = 1; n <= 4 && i + n <= line.length && text.isEmpty(); n++) {
                text = valid(Arrays.copyOfRange(line, i, i + n));
                length = text.isEmpty() ? 1 : n;
            }
            characters.add(
                    new Letter(Arrays.copyOfRange(line, i, i + length), !text.isEmpty() && WHITE_SPACE.contains(text)));
            i += length;
        }
        return characters;
    }

    private static String valid(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return "";
        }
    }
}
