package io.flockgate.gateway.config;

import io.flockgate.roster.RosterProvider;
import io.flockgate.storage.StorageProvider;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The storages that {@code --storage} can name. Immutable. */
public record InstalledStorages(List<StorageProvider> storages) {
    private static final class ClassPath {
        static final InstalledStorages ALL = new InstalledStorages(loaded(ServiceLoader.load(StorageProvider.class)));
    }

    public InstalledStorages {
        storages = List.copyOf(storages);
    }

    /** Those on the class path, which does not change. */
    public static InstalledStorages onClassPath() {
        return ClassPath.ALL;
    }

    private static <T> List<T> loaded(ServiceLoader<T> services) {
        return services.stream().map(ServiceLoader.Provider::get).toList();
    }

    public Optional<StorageProvider> named(String name) {
        return storages.stream().filter(storage -> storage.name().equals(name)).findFirst();
    }

    /** All names, sorted. */
    public List<String> names() {
        return storages.stream().map(StorageProvider::name).sorted().toList();
    }

    /**
     * The roster provider that goes with the storage of this name; empty if that storage cannot
     * keep rosters.
     */
    public static Optional<RosterProvider> rosters(String name) {
        return loaded(ServiceLoader.load(RosterProvider.class)).stream()
                .filter(rosters -> rosters.name().equals(name))
                .findFirst();
    }
}
