package io.flockgate.storage.memory.roster;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** A directory that this process alone uses, and the few operations on its files that a journal is made of. */
interface JournalDisk extends Closeable {
    /** The whole content of a file; empty when there is none of this name. */
    Optional<byte[]> read(String name) throws IOException;

    /** A new, empty file in place of one of the same name; its name is not durable yet. */
    File create(String name) throws IOException;

    /** Gives a file another name, atomically, in place of one that has it. */
    void rename(String from, String to) throws IOException;

    /** Returns once the names of all files are durable. */
    void sync() throws IOException;

    /** An open file. */
    interface File extends Closeable {
        void write(long offset, byte[] bytes) throws IOException;

        /** Cuts off what is behind this length. */
        void cut(long length) throws IOException;

        /** Returns once all written bytes and the file's length are durable. */
        void sync() throws IOException;
    }
}
