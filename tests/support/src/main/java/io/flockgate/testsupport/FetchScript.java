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
 * @param script its path
 * @param program the program's name, for messages
 * @param minutes the maximum time that it may take, which exceeds its own limits
 */
public record FetchScript(Path script, String program, int minutes) {
    /** The script's exit status if this machine cannot have the program. */
    private static final int IMPOSSIBLE = 3;

    /**
     * The path that the script prints.
     *
     * @throws IllegalStateException if the script prints none; the message begins with the last
     *     line of its output
     * @throws UnsupportedOperationException if this machine cannot have the program; the message is
     *     the last line
     */
    public Path run() throws IOException, InterruptedException {
        QuickBuild.refusePrograms();
        Path said = Files.createTempFile("fetch-" + program, ".log");
        try {
            Process process = new ProcessBuilder(script.toString())
                    .redirectError(said.toFile())
                    .start();
            process.getOutputStream().close();
            // One line, written at the end. A hanging script is ended by its own limits, long
            // before this one.
            String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
            if (ended && process.exitValue() == IMPOSSIBLE) {
                throw new UnsupportedOperationException(lastLine(said));
            }
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(lastLine(said) + "\n" + script + ":\n" + Files.readString(said));
            }
            return Path.of(path);
        } finally {
            Files.deleteIfExists(said);
        }
    }

    /** Says what is missing, and what helps. */
    private String lastLine(Path said) throws IOException {
        return Files.readAllLines(said).stream().reduce("no " + program, (before, line) -> line);
    }
}
