package io.flockgate.gateway.server;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import java.util.ServiceLoader;

/** The memory storage, with faults at keys of certain names: {@code --storage=faulty}. */
public final class FaultyStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        return ServiceLoader.load(StorageProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("memory"))
                .findFirst()
                .orElseThrow()
                .open(settings)
                .map(memory -> new FaultyStorage(memory, settings.vertx()));
    }
}
