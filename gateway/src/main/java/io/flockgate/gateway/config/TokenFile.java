package io.flockgate.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a file that holds a token, or several. */
@FunctionalInterface
interface TokenFile {
    /** From the file system. */
    TokenFile SYSTEM = (file, maxBytes) -> {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(maxBytes + 1);
        }
    };

    /** The file's bytes, but no more than one beyond this many. */
    byte[] read(Path file, int maxBytes) throws IOException;
}
