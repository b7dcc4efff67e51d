package io.flockgate.storage.memory.roster;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** A directory that this process alone uses, with the few operations that the replacement of a file needs. */
interface RosterDisk extends Closeable {
    /** Reads the whole content of a file; empty if there is none of this name. */
    Optional<byte[]> read(String name) throws IOException;

    /** Creates an empty file in place of one of the same name. Its name is not durable yet. */
    File create(String name) throws IOException;

    /** Renames a file atomically, in place of one that has the new name. The new name is not durable yet. */
    void rename(String from, String to) throws IOException;

    /** Deletes a file, if there is one of this name. */
    void delete(String name) throws IOException;

    /** Returns once the names of all files are durable. */
    void sync() throws IOException;

    /** A file that is being written. */
    interface File extends Closeable {
        void write(byte[] content) throws IOException;

        /** Returns once the written content is durable. */
        void sync() throws IOException;
    }
}
