package io.flockgate.gateway.config;

import io.flockgate.file.EndingFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Reads a file that holds a token, or several. */
@FunctionalInterface
interface TokenFile {
    /** From the file system. */
    TokenFile SYSTEM = (file, maxBytes) -> EndingFiles.read(file, maxBytes + 1);

    /** The file's bytes, but no more than one beyond this many. */
    byte[] read(Path file, int maxBytes) throws IOException;
}
