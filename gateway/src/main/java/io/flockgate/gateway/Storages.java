package io.flockgate.gateway;

import io.flockgate.gateway.config.FleetLockConfig;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The open storages of a gateway, found by their name.
 *
 * @param rosters null where FleetLock is not served
 */
record Storages(LockStorage locks, @Nullable RosterStorage rosters) {
    /** Fails with {@link StartException}; nothing is left open then. */
    static Future<Storages> open(GatewayConfig config, Vertx vertx) {
        return openLocks(config, vertx)
                .compose(locks -> openRosters(config, vertx)
                        .map(rosters -> new Storages(locks, rosters.orElse(null)))
                        .recover(cause -> locks.close().transform(ignored -> Future.failedFuture(cause))));
    }

    Future<Void> close() {
        RosterStorage others = rosters;
        return others == null ? locks.close() : others.close().eventually(locks::close);
    }

    private static Future<LockStorage> openLocks(GatewayConfig config, Vertx vertx) {
        Set<String> known = new TreeSet<>();
        for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
            if (provider.name().equals(config.storage().name())) {
                return provider.open(settings(config, vertx)).recover(Storages::notOpen);
            }
            known.add(provider.name());
        }
        return Future.failedFuture(StartException.noStorage(config.storage().name(), known));
    }

    private static Future<Optional<RosterStorage>> openRosters(GatewayConfig config, Vertx vertx) {
        if (config.fleetLock().isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        for (RosterProvider provider : ServiceLoader.load(RosterProvider.class)) {
            if (provider.name().equals(config.storage().name())) {
                return provider.open(settings(config, config.fleetLock().get(), vertx))
                        .map(Optional::of)
                        .recover(Storages::notOpen);
            }
        }
        return Future.failedFuture(StartException.noRosters(config.storage().name()));
    }

    private static <T> Future<T> notOpen(Throwable cause) {
        return Future.failedFuture(StartException.storage(cause));
    }

    private static StorageSettings settings(GatewayConfig config, Vertx vertx) {
        LockConfig locks = config.locks();
        return new StorageSettings(
                vertx,
                EventLoop::time,
                locks.maxLocks(),
                locks.maxWaiters(),
                locks.sweepInterval(),
                locks.gcInterval(),
                locks.gcMaxIdle(),
                locks.fenceStateFile(),
                config.storage().options());
    }

    private static RosterSettings settings(GatewayConfig config, FleetLockConfig fleetLock, Vertx vertx) {
        return new RosterSettings(
                vertx,
                InstantSource.system(),
                fleetLock.nodeName(),
                fleetLock.dataDir(),
                config.storage().options());
    }
}
