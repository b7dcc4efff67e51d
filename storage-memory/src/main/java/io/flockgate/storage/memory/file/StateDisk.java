package io.flockgate.storage.memory.file;

import java.io.Closeable;
import java.io.IOException;

/**
 * An open, exclusively locked file. An interface, so that tests of the state file can make each
 * operation fail.
 */
public interface StateDisk extends Closeable {
    /** The first bytes of the file, at most {@code limit}: fewer only where the file ends. */
    byte[] read(int limit) throws IOException;

    void write(long offset, byte[] bytes) throws IOException;

    /** Returns once all written bytes and the file's length are durable. */
    void sync() throws IOException;

    /** Returns once the file's name is durable in its directory. */
    void syncDirectory() throws IOException;
}
