package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseAuthException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Supplies the bearer token for one request; empty for none. A file is read each time, because
 * Kubernetes replaces it every hour.
 */
@FunctionalInterface
interface Bearer {
    String token();

    static Bearer none() {
        return () -> "";
    }

    static Bearer file(Path file) {
        return () -> read(file);
    }

    /**
     * Returns whether a text can be a token. The JDK's message about an invalid one would show it.
     */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    private static String read(Path file) {
        String text;
        try {
            text = Files.readString(file).strip();
        } catch (IOException unreadable) {
            // Without the cause, because some of the reader's messages quote what was read.
            throw new LeaseAuthException("the file of the token cannot be read: " + file);
        }
        if (!isToken(text)) {
            throw new LeaseAuthException("the file of the token holds no token: " + file);
        }
        return text;
    }
}
