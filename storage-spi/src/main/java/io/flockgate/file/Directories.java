package io.flockgate.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;

/** Makes directories and their entries durable. */
public final class Directories {
    private Directories() {}

    /** Creates the directory and any missing parents, with mode 0700. */
    public static void create(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path each = directory; each != null && Files.notExists(each); each = each.getParent()) {
            missing.push(each);
        }
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path made = Files.createDirectories(directory, ownerOnly);
        for (Path each : missing) {
            sync(each.resolveSibling(""));
        }
        if (!Files.isDirectory(made)) {
            throw new FileAlreadyExistsException(directory.toString());
        }
    }

    /** Makes the names of the directory's entries durable. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
