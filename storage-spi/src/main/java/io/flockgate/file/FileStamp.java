package io.flockgate.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stamp that shows whether a file has changed. A replaced file has another key even if time and
 * size are the same.
 */
public record FileStamp(
        long modifiedNanos, long size, @Nullable Object key) {
    /** The stamp of a file; null when the file does not exist. */
    public static @Nullable FileStamp of(Path file) {
        try {
            BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileStamp(seen.lastModifiedTime().to(TimeUnit.NANOSECONDS), seen.size(), seen.fileKey());
        } catch (IOException e) {
            return null;
        }
    }

    /** The stamps of all files; null when a file does not exist. */
    public static @Nullable List<FileStamp> of(List<Path> files) {
        var stamps = new ArrayList<FileStamp>();
        for (Path file : files) {
            FileStamp stamp = of(file);
            if (stamp == null) {
                return null;
            }
            stamps.add(stamp);
        }
        return stamps;
    }
}
