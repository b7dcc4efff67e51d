package io.flockgate.consul.testbed;

import io.flockgate.testsupport.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Runs short commands. */
final class Commands {
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
                Process process = builder.redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                process.getOutputStream().close();
                return new CliResult(Programs.awaitEnd(process), Files.readString(output));
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
}
