package io.flockgate.storage.memory.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A file on disk, whatever its names are.
 *
 * @param key distinguishes it from all other files that exist at the same time
 */
record Inode(Object key) {
    /** The file that this path leads to. */
    static Inode of(Path path) throws IOException {
        return new Inode(Files.readAttributes(path, BasicFileAttributes.class).fileKey());
    }

    /**
     * Checks that this path still leads to the file.
     *
     * @throws IOException with a message for the operator, if it does not
     */
    void check(Path path) throws IOException {
        try {
            if (!equals(of(path))) {
                throw new IOException(path + " was replaced while in use");
            }
        } catch (NoSuchFileException e) {
            throw new IOException(path + " was removed while in use", e);
        }
    }
}
