package io.flockgate.storage.memory.file;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The files in a directory that only this process uses: the few operations that journals and
 * rosters need. An interface, so that tests can make each operation fail or hang.
 */
public interface DataDirectory extends Closeable {
    /** The option that names it. Without it, everything ends with the process. */
    Option<Optional<Path>> DATA_DIR = Option.of(
                    "data-dir", "FLOCKGATE_DATA_DIR", OptionType.FILE, "", Rule.any("a path"))
            .help("Directory in which the storage memory keeps what must survive a restart: grants that do not end"
                    + " with a connection, HTTP sessions that hold something, fences, and the holders of"
                    + " FleetLock's slots.");

    /** The names of all files. */
    Set<String> names() throws IOException;

    /** The content of a file; empty if there is no file with this name. */
    Optional<Content> read(String name) throws IOException;

    /** Creates an empty file, replacing any with the same name. The name is not durable yet. */
    File create(String name) throws IOException;

    /**
     * Renames a file atomically, replacing any with the new name. The new name is not durable yet.
     */
    void rename(String from, String to) throws IOException;

    /** Deletes a file, if there is one with this name. */
    void delete(String name) throws IOException;

    /**
     * Checks that the directory is still locked for this process, and not removed or replaced.
     *
     * @throws IOException if not: another process may use it, so nothing may be written
     */
    void checkLock() throws IOException;

    /**
     * Checks that this name still leads to this file, so that the next start will find it.
     *
     * @throws IOException if the file has been removed or replaced
     */
    void check(String name, File file) throws IOException;

    /** Returns once the names of all files are durable. */
    void sync() throws IOException;

    /** The content of a file that is not being written. */
    interface Content {
        /** The number of bytes. */
        long length();

        /** Reads it from its beginning. */
        InputStream open() throws IOException;
    }

    /** A file that is being written. */
    interface File extends Closeable {
        /** Appends these bytes. */
        void write(byte[] content) throws IOException;

        /** Returns once the content is durable. */
        void sync() throws IOException;
    }
}
