package io.flockgate.storage.consul.api;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Options of connections to agents. */
public final class TestOptions {
    private static final int WATCH_BUDGET = 150;

    private TestOptions() {}

    /** Without token or certificates. */
    public static ConsulOptions at(String address) {
        ConsulAddress agent = ConsulAddress.parse(address).orElseThrow();
        return new ConsulOptions(agent, TokenSource.none(), null, null, null, List.of(), WATCH_BUDGET);
    }

    static ConsulOptions withToken(ConsulOptions options, TokenSource token) {
        return new ConsulOptions(options.address(), token, null, null, null, List.of(), WATCH_BUDGET);
    }

    static ConsulOptions withCaFile(ConsulOptions options, @Nullable Path file) {
        return withFiles(options, file, options.clientCert(), options.clientKey());
    }

    static ConsulOptions withClientCert(ConsulOptions options, @Nullable Path cert, @Nullable Path key) {
        return withFiles(options, options.caFile(), cert, key);
    }

    private static ConsulOptions withFiles(
            ConsulOptions options, @Nullable Path ca, @Nullable Path cert, @Nullable Path key) {
        return new ConsulOptions(options.address(), options.token(), ca, cert, key, List.of(), WATCH_BUDGET);
    }

    static ConsulOptions withScope(ConsulOptions options, List<String> scope) {
        return new ConsulOptions(options.address(), options.token(), null, null, null, scope, WATCH_BUDGET);
    }

    static ConsulOptions withWatchBudget(ConsulOptions options, int budget) {
        return new ConsulOptions(options.address(), options.token(), null, null, null, List.of(), budget);
    }
}
