package io.flockgate.testsupport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Chromium of this machine, which needs no display: named by {@code FLOCKGATE_TEST_CHROMIUM}, else on {@code PATH}, else unpacked
 * from Debian's package by {@code test-support/fetch-chromium}, which may take a minute the first time.
 */
public final class Chromium {
    private static final Path SCRIPT = Path.of("test-support", "fetch-chromium");
    private static final int FETCH_MINUTES = 15;

    private static @Nullable Path known;

    private Chromium() {}

    /**
     * The path of the program. Remembered.
     *
     * @throws IllegalStateException if there is none; the message has the ways to get one
     */
    public static synchronized Path path() throws IOException, InterruptedException {
        if (known == null) {
            known = found(script(Path.of("").toAbsolutePath()));
        }
        return known;
    }

    private static Path script(Path start) {
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve(SCRIPT))) {
                return folder.resolve(SCRIPT);
            }
        }
        throw new IllegalStateException("no " + SCRIPT + " in or above " + start);
    }

    private static Path found(Path script) throws IOException, InterruptedException {
        Path said = Files.createTempFile("fetch-chromium", ".log");
        try {
            Process process = new ProcessBuilder(script.toString())
                    .redirectError(said.toFile())
                    .start();
            process.getOutputStream().close();
            // One line, written at the end: a hanging script is ended by its own limits.
            String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            boolean ended = process.waitFor(FETCH_MINUTES, TimeUnit.MINUTES);
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(script + " found no Chromium:\n" + Files.readString(said));
            }
            return Path.of(path);
        } finally {
            Files.deleteIfExists(said);
        }
    }
}
