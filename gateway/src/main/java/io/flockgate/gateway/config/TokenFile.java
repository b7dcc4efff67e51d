package io.flockgate.gateway.config;

import io.flockgate.file.EndingFiles;
import java.io.IOException;
import java.nio.file.Path;

/** Reads a file that contains one or more tokens. */
@FunctionalInterface
interface TokenFile {
    /** From the file system. */
    TokenFile SYSTEM = (file, maxBytes) -> EndingFiles.read(file, maxBytes + 1);

    /** The file's bytes, at most one more than this number. */
    byte[] read(Path file, int maxBytes) throws IOException;
}
