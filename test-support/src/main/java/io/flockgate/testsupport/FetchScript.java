package io.flockgate.testsupport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A script of the project that prints the path of a program, and fetches the program first if
 * necessary.
 *
 * @param script its path below the project's folder
 * @param program the program's name, for messages
 * @param minutes the maximum time that it may take, which exceeds its own limits
 * @param ways other ways to get the program, reported if there is no script; may be empty
 */
public record FetchScript(Path script, String program, int minutes, String ways) {
    /** The script's exit status if this machine cannot have the program. */
    private static final int IMPOSSIBLE = 3;

    /**
     * The script in this folder or one above it.
     *
     * @throws IllegalStateException if there is none
     */
    public Path above(Path start) {
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve(script))) {
                return folder.resolve(script);
            }
        }
        throw new IllegalStateException(("no " + script + " in or above " + start + "\n" + ways).strip());
    }

    /**
     * The path that the script prints; the script is searched for from the current folder upwards.
     *
     * @throws IllegalStateException if the script prints none; the message contains its output
     * @throws UnsupportedOperationException if this machine cannot have the program
     */
    public Path run() throws IOException, InterruptedException {
        Path found = above(Path.of("").toAbsolutePath());
        Path said = Files.createTempFile("fetch-" + program, ".log");
        try {
            Process process = new ProcessBuilder(found.toString())
                    .redirectError(said.toFile())
                    .start();
            process.getOutputStream().close();
            // One line, written at the end. A hanging script is ended by its own limits, long
            // before this one.
            String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
            if (ended && process.exitValue() == IMPOSSIBLE) {
                throw new UnsupportedOperationException(Files.readString(said).strip());
            }
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(found + " found no " + program + ":\n" + Files.readString(said));
            }
            return Path.of(path);
        } finally {
            Files.deleteIfExists(said);
        }
    }
}
