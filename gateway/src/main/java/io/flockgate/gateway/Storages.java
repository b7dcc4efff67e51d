package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.LockConfig;
import io.flockgate.gateway.config.InstalledStorages;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The open storages of a gateway, each found by its name.
 *
 * @param self this gateway, as operators see it
 * @param rosters null where FleetLock is not served
 */
record Storages(
        GatewayView self, LockStorage locks, @Nullable RosterStorage rosters) {
    /** Fails with {@link StartException}, and then leaves nothing open. */
    static Future<Storages> open(GatewayConfig config, Vertx vertx) {
        GatewayView self = new GatewayView(
                config.nodeName(),
                Version.text(),
                System.currentTimeMillis() / 1000,
                config.http().pageUrl());
        return openLocks(config, self, vertx)
                .compose(locks -> openRosters(config, vertx)
                        .map(rosters -> new Storages(self, locks, rosters.orElse(null)))
                        .recover(cause -> locks.close().transform(ignored -> Future.failedFuture(cause))));
    }

    Future<Void> close() {
        RosterStorage others = rosters;
        return others == null ? locks.close() : others.close().eventually(locks::close);
    }

    private static Future<LockStorage> openLocks(GatewayConfig config, GatewayView self, Vertx vertx) {
        InstalledStorages installed = InstalledStorages.onClassPath();
        String name = config.storage().name();
        return installed
                .named(name)
                .map(provider -> provider.open(settings(config, self, vertx)).recover(Storages::notOpen))
                .orElseGet(() -> Future.failedFuture(StartException.noStorage(name, installed.names())));
    }

    private static Future<Optional<RosterStorage>> openRosters(GatewayConfig config, Vertx vertx) {
        if (config.fleetLock().isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        String name = config.storage().name();
        return InstalledStorages.rosters(name)
                .map(provider -> provider.open(rosterSettings(config, vertx))
                        .map(Optional::of)
                        .recover(Storages::notOpen))
                .orElseGet(() -> Future.failedFuture(StartException.noRosters(name)));
    }

    private static <T> Future<T> notOpen(Throwable cause) {
        return Future.failedFuture(StartException.storage(cause));
    }

    private static StorageSettings settings(GatewayConfig config, GatewayView self, Vertx vertx) {
        LockConfig locks = config.locks();
        return new StorageSettings(
                vertx,
                EventLoop::time,
                self,
                locks.limits(),
                locks.upkeep(),
                config.storage().options());
    }

    private static RosterSettings rosterSettings(GatewayConfig config, Vertx vertx) {
        return new RosterSettings(
                vertx,
                InstantSource.system(),
                config.nodeName(),
                config.storage().options());
    }
}
