package io.flockgate.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file that holds a token. */
@FunctionalInterface
interface TokenFile {
    /** From the file system. */
    TokenFile SYSTEM = file -> {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(AuthToken.MAX_BYTES + 1);
        }
    };

    /** The file's bytes, but no more than one beyond {@link AuthToken#MAX_BYTES}. */
    byte[] read(Path file) throws IOException;
}
