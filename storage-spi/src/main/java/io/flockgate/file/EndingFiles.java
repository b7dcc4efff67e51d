package io.flockgate.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads small files, and refuses pipes, whose readers may wait indefinitely. */
public final class EndingFiles {
    private EndingFiles() {}

    /**
     * The file's beginning, up to this many bytes.
     *
     * @throws IOException also when it is not a regular file; the shell's {@code /dev/stdin} and
     *     {@code <(command)} are read
     */
    public static byte[] read(Path file, int maxBytes) throws IOException {
        Path absolute = file.toAbsolutePath();
        if (!absolute.startsWith("/dev") && !absolute.startsWith("/proc")) {
            requireRegular(file);
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(maxBytes);
        }
    }

    /**
     * Refuses anything that is not a regular file. Links are followed.
     *
     * @throws IOException when the file is a pipe or a device
     */
    public static void requireRegular(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
            throw new IOException("not a regular file");
        }
    }
}
