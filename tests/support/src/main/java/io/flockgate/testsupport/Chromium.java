package io.flockgate.testsupport;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The Chromium on this machine, which needs no display: named by {@code FLOCKGATE_TEST_CHROMIUM},
 * else on {@code PATH}, else unpacked from Debian's package by {@code
 * tests/support/fetch-chromium}, which may take a minute the first time.
 */
public final class Chromium {
    private static final FetchScript SCRIPT =
            new FetchScript(Repository.file("tests/support/fetch-chromium"), "Chromium", 15);

    private static @Nullable Path known;

    private Chromium() {}

    /**
     * The path of the program. Remembered.
     *
     * @throws IllegalStateException if there is none; the message lists the ways to get one
     * @throws UnsupportedOperationException if this machine cannot have one
     */
    public static synchronized Path path() throws IOException, InterruptedException {
        if (known == null) {
            known = SCRIPT.run();
        }
        return known;
    }
}
