package io.flockgate.gateway.server;

import io.flockgate.testsupport.LineClient;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Random frames, good, bad and mutated, with their expected outcome: the number of replies, and
 * whether the connection ends. The same seed gives the same frames.
 */
final class Fuzz {
    private static final int LINE_CAP = 256;
    private static final int AUTH_LINE_CAP = 65_536;
    private static final String[] COMMANDS = {"l", "r", "n", "e", "w", "sl", "sr", "sn", "se", "sw"};

    /** No digit but 0 and 1: a mutation must not make a timeout that outlasts the test. */
    private static final String BYTES =
            "\u0000\t\u000b\f\r\n \u0001\u007f\u0080\u0085\u00a0\u00c2\u00e2\u00ff-+01_xlrnesw\"\\";

    private final Random random;

    /** A token of an earlier reply, for releases and renewals that are good. */
    private String token = "0".repeat(32);

    Fuzz(long seed) {
        random = new Random(seed);
    }

    /**
     * Bytes to send.
     *
     * @param replies the number of lines that the server must reply with
     * @param ends whether the connection is closed after them
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Chunk(byte[] bytes, int frames, int replies, boolean ends) {}

    void learn(String reply) {
        String[] words = reply.split(" ", -1);
        if (words.length == 3 && words[1].length() == 32) {
            token = words[1];
        }
    }

    Chunk next(int frames) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < frames; i++) {
            bytes.writeBytes(frame().getBytes(StandardCharsets.ISO_8859_1));
        }
        // Completes an unfinished frame and adds no more: its command is unknown or harmless.
        byte[] open = bytes.toByteArray();
        bytes.writeBytes("\n".repeat(linesToWhole(open)).getBytes(StandardCharsets.ISO_8859_1));
        return judged(bytes.toByteArray(), frames);
    }

    private String frame() {
        return switch (random.nextInt(20)) {
            case 0 ->
                noise(random.nextInt(40)) + "\n" + noise(random.nextInt(40)) + "\n" + noise(random.nextInt(40)) + "\n";
            case 1, 2, 3, 4, 5, 6 -> mutated(good());
            case 7 -> LineClient.frame("ping", noise(3).replace("\n", ""), "");
            case 8 ->
                random.nextInt(20) == 0
                        ? LineClient.frame("stats", "", "")
                        : LineClient.frame("auth", "", "x".repeat(400));
            case 9 -> random.nextInt(40) == 0 ? tooLong() : good();
            default -> good();
        };
    }

    private String good() {
        String command = COMMANDS[random.nextInt(COMMANDS.length)];
        String key = "k" + Integer.toString(random.nextInt(5_000), 36);
        String lease = random.nextBoolean() ? " 11" : "";
        return LineClient.frame(
                command,
                key,
                switch (command) {
                    case "l" -> "0" + lease;
                    case "sl" -> "0 11" + lease;
                    case "e" -> lease;
                    case "se" -> "11" + lease;
                    case "w", "sw" -> "0";
                    case "n", "sn" -> token + lease;
                    default -> token;
                });
    }

    private String tooLong() {
        return switch (random.nextInt(3)) {
            case 0 -> "x".repeat(257 + random.nextInt(300)) + "\n";
            case 1 -> "l\n" + "k".repeat(257) + "\n0\n";
            default -> "auth\n\n" + "t".repeat(AUTH_LINE_CAP + 1) + "\n";
        };
    }

    private String mutated(String frame) {
        StringBuilder text = new StringBuilder(frame);
        for (int n = 1 + random.nextInt(2); n > 0; n--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.setCharAt(at, noise(1).charAt(0));
                case 2 -> text.insert(at, noise(1 + random.nextInt(3)));
                default -> text.insert(at, text.substring(at));
            }
        }
        return text.toString();
    }

    private String noise(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(BYTES.charAt(random.nextInt(BYTES.length())));
        }
        return text.toString();
    }

    /** Splits the bytes as the protocol does, in the plainest way: lines, three to a frame. */
    private static Chunk judged(byte[] bytes, int frames) {
        int lines = 0;
        int start = 0;
        boolean auth = false;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                int cap = lines % 3 == 2 && auth ? AUTH_LINE_CAP : LINE_CAP;
                if (i - start > cap) {
                    return new Chunk(bytes, frames, lines / 3 + 1, true);
                }
                if (lines % 3 == 0) {
                    auth = new String(bytes, start, i - start, StandardCharsets.ISO_8859_1)
                            .replaceAll("\r+$", "")
                            .equals("auth");
                }
                lines++;
                start = i + 1;
            }
        }
        return new Chunk(bytes, frames, lines / 3, false);
    }

    private static int linesToWhole(byte[] bytes) {
        int ends = 0;
        for (byte b : bytes) {
            ends += b == '\n' ? 1 : 0;
        }
        boolean unfinished = bytes[bytes.length - 1] != '\n';
        int missing = (3 - ends % 3) % 3;
        return unfinished && missing == 0 ? 3 : missing;
    }
}
