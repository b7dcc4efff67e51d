package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs short commands. */
final class Commands {
    private static final int PATIENCE_S = 60;

    private Commands() {}

    /** Removes the variables that would make consul use another agent or token. */
    static void clean(Map<String, String> environment) {
        environment.keySet().removeIf(name -> name.startsWith("CONSUL_"));
    }

    static CliResult run(ProcessBuilder builder) {
        try {
            // A file, because a child of the command may keep a pipe open after the command has ended.
            Path output = Files.createTempFile("flockgate-command", ".out");
            try {
                return run(builder.redirectErrorStream(true).redirectOutput(output.toFile()), output);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a command ran", e);
        }
    }

    private static CliResult run(ProcessBuilder builder, Path output) throws IOException, InterruptedException {
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no end after " + PATIENCE_S + " s: " + builder.command());
            }
            return new CliResult(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }
}
