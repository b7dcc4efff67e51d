package io.flockgate.gateway.server;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import java.util.concurrent.locks.LockSupport;

/** Storages that cannot be opened. */
final class FailingStarts {
    private static final long PAUSE_NANOS = 1_000_000;

    private FailingStarts() {}

    /** Misses one of its own classes: {@code --storage=broken}. */
    public static final class Broken implements StorageProvider {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public Future<LockStorage> open(StorageSettings settings) {
            throw new NoClassDefFoundError("a/class/that/is/missing");
        }
    }

    /**
     * Fails to open because its process is ended meanwhile: {@code --storage=stopped-start}.
     */
    public static final class Stopped implements StorageProvider {
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
}
