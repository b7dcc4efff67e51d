package io.flockgate.gateway.config;

import io.flockgate.file.EndingFiles;
import io.flockgate.options.Arguments.Given;
import io.flockgate.options.OptionException;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.flockgate.text.Utf8;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Reads secrets: one line of at most {@value #MAX_BYTES} bytes, without the white space
 * around it.
 */
final class Secrets {
    /** Reads a file that contains one or more tokens. */
    @FunctionalInterface
    interface TokenFile {
        /** From the file system. */
        TokenFile SYSTEM = (file, maxBytes) -> EndingFiles.read(file, maxBytes + 1);

        /** The file's bytes, at most one more than this number. */
        byte[] read(Path file, int maxBytes) throws IOException;
    }

    /** The maximum length of the argument line of the {@code auth} command. */
    static final int MAX_BYTES = 65_536;

    /** A shorter token can be guessed. */
    static final int SAFE_CHARACTERS = 16;

    private static final int REPLACEMENT = 0xFFFD;

    private Secrets() {}

    /**
     * @throws OptionException for a source that is given but blank
     */
    static void refuseBlank(Given given) {
        if (trim(given.text()).isEmpty()) {
            throw new OptionException(given.name() + " must not be blank");
        }
    }

    /** The secret that was given as text. */
    static String inText(Given given) {
        refuseBlank(given);
        String token = oneLine(given.name(), given.text());
        if (token.indexOf(REPLACEMENT) >= 0) {
            throw new OptionException(
                    given.name() + ": the token has characters that this locale cannot read; use a file");
        }
        return token;
    }

    /** The secret in the file that was given. */
    static String inFile(Given given, TokenFile files) {
        refuseBlank(given);
        return oneLine(given.name(), content(given.name(), given.text(), files));
    }

    private static String oneLine(String name, String text) {
        String token = trim(text);
        if (token.isEmpty()) {
            throw new OptionException(name + ": the file is empty");
        }
        if (token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0) {
            throw new OptionException(name + ": the token must not contain a line break");
        }
        if (token.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new OptionException(tooLong(name));
        }
        return token;
    }

    private static String content(String name, String file, TokenFile files) {
        try {
            byte[] bytes = files.read(Path.of(file), MAX_BYTES);
            if (bytes.length > MAX_BYTES) {
                throw new OptionException(tooLong(name));
            }
            String text = Utf8.decode(bytes);
            if (text == null) {
                throw new OptionException(name + ": the file is not UTF-8 text");
            }
            return text;
        } catch (IOException | InvalidPathException e) {
            throw unreadable(name, file, e);
        }
    }

    /** The failure to read a file that an option names. */
    static OptionException unreadable(String name, String file, Exception e) {
        return new OptionException(name + ": cannot read " + Quoting.quoted(file) + ": " + Reason.of(e));
    }

    private static String tooLong(String name) {
        return name + ": the token is longer than " + MAX_BYTES + " bytes";
    }

    /** Drops Unicode white space at both ends, as the line protocol does with clients' tokens. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return (c >= '\t' && c <= '\r') || c == '\u0085' || Character.isSpaceChar(c);
    }
}
