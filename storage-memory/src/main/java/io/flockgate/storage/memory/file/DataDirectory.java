package io.flockgate.storage.memory.file;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * The files of one journal in a directory, which this process alone uses: the few operations that a
 * journal needs. An interface, so that tests let each operation fail or hang.
 */
public interface DataDirectory extends Closeable {
    /** Reads the whole content of a file; empty if there is none of this name. */
    Optional<byte[]> read(String name) throws IOException;

    /** Creates an empty file in place of one of the same name. Its name is not durable yet. */
    File create(String name) throws IOException;

    /**
     * Renames a file atomically, in place of one that has the new name. The new name is not durable
     * yet.
     */
    void rename(String from, String to) throws IOException;

    /** Deletes a file, if there is one of this name. */
    void delete(String name) throws IOException;

    /** Returns once the names of all files are durable. */
    void sync() throws IOException;

    /** A file that is being written. */
    interface File extends Closeable {
        /** Appends these bytes. */
        void write(byte[] content) throws IOException;

        /** Cuts off what is beyond this length. */
        void truncate(long length) throws IOException;

        /** Returns once the content is durable. */
        void sync() throws IOException;
    }
}
