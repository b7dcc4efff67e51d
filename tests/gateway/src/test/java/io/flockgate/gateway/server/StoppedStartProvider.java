package io.flockgate.gateway.server;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * A storage whose process is ended while it opens, so that its opening fails: {@code
 * --storage=stopped-start}.
 */
public final class StoppedStartProvider implements StorageProvider {
    private static final long PAUSE_NANOS = 1_000_000;

    @Override
    public String name() {
        return "stopped-start";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        Thread unused = Thread.ofPlatform().daemon().start(() -> System.exit(0));
        while (true) {
            // Throws as soon as the process ends.
            Thread hook = Thread.ofPlatform().unstarted(() -> {});
            Runtime.getRuntime().addShutdownHook(hook);
            boolean removed = Runtime.getRuntime().removeShutdownHook(hook);
            LockSupport.parkNanos(removed ? PAUSE_NANOS : 0);
        }
    }
}
