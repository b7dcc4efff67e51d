package io.flockgate.text;

import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reason for a failure in words for an operator: never the name of a class, and no path, which
 * the caller knows.
 */
public final class Reason {
    private static final String REFUSED = "connection refused";

    private Reason() {}

    public static String of(Throwable failure) {
        return switch (failure) {
            case NoSuchFileException ignored -> "no such file or directory";
            case AccessDeniedException ignored -> "permission denied";
            case FileAlreadyExistsException ignored -> "a file of this name exists";
            case NotDirectoryException ignored -> "not a directory";
            case DirectoryNotEmptyException ignored -> "the directory is not empty";
            case FileSystemException e -> orName(e, e.getReason());
            case InvalidPathException ignored -> "not a path";
            case UnknownHostException e -> "unknown host" + (e.getMessage() == null ? "" : " " + e.getMessage());
            case NoRouteToHostException ignored -> "no route to host";
            case InterruptedIOException ignored -> "no answer in time";
            case EOFException ignored -> "the connection was closed";
            default -> orName(failure, failure.getMessage());
        };
    }

    private static String orName(Throwable failure, @Nullable String message) {
        if (message == null || message.isBlank()) {
            return words(failure.getClass().getSimpleName());
        }
        return message.toLowerCase(Locale.ROOT).contains(REFUSED) ? REFUSED : message;
    }

    /** The words of a class's name: {@code BufferOverflowException} becomes "buffer overflow". */
    private static String words(String name) {
        String words = name.replaceFirst("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
        return words.isEmpty() ? "unexpected failure" : words;
    }
}
