package io.flockgate.gateway.server;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;

/**
 * A storage that cannot be opened, because one of its own classes is missing: {@code
 * --storage=broken}.
 */
public final class BrokenStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "broken";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        throw new NoClassDefFoundError("a/class/that/is/missing");
    }
}
