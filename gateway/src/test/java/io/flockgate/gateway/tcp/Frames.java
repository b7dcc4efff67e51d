package io.flockgate.gateway.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.gateway.tcp.LineDecoder.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The frames that a decoder finds, as a list of texts in which one char is one byte. */
final class Frames {
    static final String TOO_LONG = "too long";
    static final String ENDED = "end of too long";

    private Frames() {}

    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    /**
     * Takes everything that can be found now. Continues after a line that was too long, as nothing
     * else would show its end.
     */
    static List<String> found(LineDecoder decoder) {
        List<String> found = new ArrayList<>();
        for (Step step = decoder.next(); step != Step.MORE; step = decoder.next()) {
            found.add(
                    switch (step) {
                        case FRAME -> frame(decoder);
                        case TOO_LONG -> TOO_LONG;
                        case END_OF_TOO_LONG -> ENDED;
                        case MORE -> throw new AssertionError();
                    });
        }
        return found;
    }

    private static String frame(LineDecoder decoder) {
        return line(decoder, 0) + "|" + line(decoder, 1) + "|" + line(decoder, 2);
    }

    private static String line(LineDecoder decoder, int number) {
        return text(Arrays.copyOfRange(decoder.bytes(), decoder.from(number), decoder.to(number)));
    }

    /** A decoder that has found one frame with these lines, which can be read. */
    static LineDecoder of(String command, String key, String argument) {
        return of(bytes(command), bytes(key), bytes(argument));
    }

    static LineDecoder of(byte[] command, byte[] key, byte[] argument) {
        String frame = text(command) + "\n" + text(key) + "\n" + text(argument) + "\n";
        LineDecoder decoder = new LineDecoder();
        decoder.append(bytes(frame));
        if (decoder.next() != Step.FRAME) {
            throw new IllegalArgumentException("not a frame");
        }
        return decoder;
    }

    /**
     * Finds the same by splitting the whole stream at its LFs, without optimisation or state across
     * chunks.
     */
    static List<String> model(String stream) {
        List<String> found = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        String rest = stream;
        while (true) {
            int end = rest.indexOf('\n');
            boolean auth = lines.size() == 2 && lines.getFirst().equals("auth");
            int cap = auth ? LineDecoder.AUTH_LINE_CAP : LineDecoder.LINE_CAP;
            if ((end < 0 ? rest.length() : end) > cap) {
                found.add(TOO_LONG);
                lines.clear();
                if (end >= 0) {
                    found.add(ENDED);
                }
            } else if (end >= 0) {
                lines.add(withoutTrailingCrs(rest.substring(0, end)));
            }
            if (lines.size() == 3) {
                found.add(String.join("|", lines));
                lines.clear();
            }
            if (end < 0) {
                return found;
            }
            rest = rest.substring(end + 1);
        }
    }

    private static String withoutTrailingCrs(String line) {
        return line.replaceFirst("\r+$", "");
    }
}
