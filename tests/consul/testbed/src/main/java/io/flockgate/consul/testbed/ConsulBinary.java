package io.flockgate.consul.testbed;

import io.flockgate.testsupport.FetchScript;
import io.flockgate.testsupport.Repository;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The consul binary on this machine. */
public final class ConsulBinary {
    static final String VARIABLE = "FLOCKGATE_TEST_CONSUL";

    static final String WAYS = "The tests need a Consul: put a consul binary on PATH, or name one in " + VARIABLE
            + ", or run Docker, or see what tests/consul/testbed/fetch-consul says.";

    static final FetchScript SCRIPT =
            new FetchScript(Repository.file("tests/consul/testbed/fetch-consul"), "consul", 6);

    private static @Nullable Path known;

    private static @Nullable String missing;

    private static @Nullable ConsulVersion version;

    private ConsulBinary() {}

    /**
     * The path of the binary: named by {@code FLOCKGATE_TEST_CONSUL}, else on {@code PATH}, else
     * unpacked from Debian's package by {@code tests/consul/testbed/fetch-consul}, which may take a
     * minute the first time. Remembered, also if there is none.
     *
     * @throws IllegalStateException if there is none; the message lists the ways to get one
     */
    public static synchronized Path path() {
        if (missing != null) {
            throw new IllegalStateException(missing);
        }
        if (known == null) {
            try {
                known = installed().orElseGet(ConsulBinary::fetched);
            } catch (IllegalStateException e) {
                missing = e.getMessage();
                throw e;
            }
        }
        return known;
    }

    /** The version of that binary. Remembered. */
    static synchronized ConsulVersion version() {
        if (version == null) {
            version = ConsulVersion.of(Commands.run(new ProcessBuilder(path().toString(), "version"))
                    .output());
        }
        return version;
    }

    /** The binary installed on this machine. Starts nothing. */
    static Optional<Path> installed() {
        return named(System.getenv(VARIABLE)).or(() -> onPath(System.getenv("PATH")));
    }

    static Optional<Path> named(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            return Optional.empty();
        }
        Path path = Path.of(name).toAbsolutePath();
        if (!isProgram(path)) {
            throw new IllegalStateException(VARIABLE + " names no program: " + path + "\n" + WAYS);
        }
        return Optional.of(path);
    }

    static Optional<Path> onPath(@Nullable String searchPath) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(searchPath == null ? "" : searchPath)
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "consul").toAbsolutePath())
                .filter(ConsulBinary::isProgram)
                .findFirst();
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }

    private static Path fetched() {
        try {
            return SCRIPT.run();
        } catch (IOException e) {
            throw new IllegalStateException(SCRIPT.script() + " cannot be run\n" + WAYS, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a consul was fetched", e);
        }
    }
}
