package io.flockgate.storage.memory.file;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * The files of one journal in a directory that only this process uses: the few operations that a
 * journal needs. An interface, so that tests can make each operation fail or hang.
 */
public interface DataDirectory extends Closeable {
    /** Reads the whole content of a file; empty if there is no file with this name. */
    Optional<byte[]> read(String name) throws IOException;

    /** Creates an empty file, replacing any with the same name. The name is not durable yet. */
    File create(String name) throws IOException;

    /**
     * Renames a file atomically, replacing any with the new name. The new name is not durable yet.
     */
    void rename(String from, String to) throws IOException;

    /** Deletes a file, if there is one with this name. */
    void delete(String name) throws IOException;

    /** Returns once the names of all files are durable. */
    void sync() throws IOException;

    /** A file that is being written. */
    interface File extends Closeable {
        /** Appends these bytes. */
        void write(byte[] content) throws IOException;

        /** Cuts off everything beyond this length. */
        void truncate(long length) throws IOException;

        /** Returns once the content is durable. */
        void sync() throws IOException;
    }
}
