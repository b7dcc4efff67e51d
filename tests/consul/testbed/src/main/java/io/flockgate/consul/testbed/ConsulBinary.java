package io.flockgate.consul.testbed;

import io.flockgate.testsupport.FetchScript;
import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The consul binary on this machine. */
final class ConsulBinary {
    private static final FetchScript SCRIPT =
            new FetchScript(Repository.file("tests/consul/testbed/fetch-consul"), "consul", 6);

    private static final Pattern VERSION = Pattern.compile("Consul v(\\d{1,5})\\.(\\d{1,5})\\.\\S*");

    private static @Nullable Path known;

    private static @Nullable String missing;

    private static @Nullable Boolean peering;

    private ConsulBinary() {}

    /**
     * The path of the binary that {@code tests/consul/testbed/fetch-consul} finds or fetches, which
     * may take a minute the first time. Remembered, also if there is none.
     *
     * @throws IllegalStateException if there is none; the message lists the ways to get one
     */
    static synchronized Path path() {
        if (missing != null) {
            throw new IllegalStateException(missing);
        }
        if (known == null) {
            try {
                known = found();
            } catch (IllegalStateException e) {
                missing = e.getMessage();
                throw e;
            }
        }
        return known;
    }

    /**
     * Whether that binary is of Consul 1.14 or newer, which has peering and a port for gRPC over
     * TLS that are on by default. Remembered.
     */
    static synchronized boolean hasPeering() {
        if (peering == null) {
            String printed = Commands.run(new ProcessBuilder(path().toString(), "version"))
                    .output();
            Matcher version = VERSION.matcher(printed);
            if (!version.find()) {
                throw new IllegalStateException("not the version of a consul: " + printed);
            }
            peering = Integer.parseInt(version.group(1)) > 1 || Integer.parseInt(version.group(2)) >= 14;
        }
        return peering;
    }

    private static Path found() {
        try {
            return SCRIPT.run();
        } catch (IOException e) {
            throw new IllegalStateException(SCRIPT.script() + " cannot be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a consul was sought", e);
        }
    }
}
