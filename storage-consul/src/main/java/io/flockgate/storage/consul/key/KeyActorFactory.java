package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.rules.FenceGuard;
import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.Sessions;
import java.util.function.Consumer;

/** Makes the actors of keys from what all keys of this gateway share. Thread safe. */
final class KeyActorFactory {
    private final Environment environment;
    private final ConsulApi api;
    private final GroupCommit commit;
    private final Sessions sessions;
    private final DetachedSessions detachedSessions;
    private final KeyPaths paths;
    private final Transactions transactions;
    private final GatewaySettings settings;
    private final KeyIndex keyIndex;
    private final FenceGuard fences;
    private final LocalIndex localIndex;
    private final FailureDetector detector;
    private final WatchBudget budget;
    private final ReadPace pace;
    private final TicketNames names;
    private final HolderCount holderCount;
    private final UntoldNonces untold = new UntoldNonces();

    KeyActorFactory(
            Environment environment,
            ConsulApi api,
            GroupCommit commit,
            Sessions sessions,
            DetachedSessions detachedSessions,
            KeyPaths paths,
            Transactions transactions,
            GatewaySettings settings,
            KeyIndex keyIndex,
            FenceGuard fences,
            LocalIndex localIndex,
            FailureDetector detector,
            WatchBudget budget,
            ReadPace pace) {
        this.environment = environment;
        this.api = api;
        this.commit = commit;
        this.sessions = sessions;
        this.detachedSessions = detachedSessions;
        this.paths = paths;
        this.transactions = transactions;
        this.settings = settings;
        this.keyIndex = keyIndex;
        this.fences = fences;
        this.localIndex = localIndex;
        this.detector = detector;
        this.budget = budget;
        this.pace = pace;
        this.names = new TicketNames(settings.process());
        this.holderCount = new HolderCount(settings.limits().maxHolders());
    }

    /**
     * @param retired called once, when the actor takes no more calls
     */
    KeyActor make(Key key, long lastActivity, Consumer<KeyActor> retired) {
        KeyPath path = paths.of(key);
        return new KeyActor(key, parts(key, path), lastActivity, actor -> {
            detector.retired(key, path.prefix());
            retired.accept(actor);
        });
    }

    private KeyParts parts(Key key, KeyPath path) {
        PendingRead pending = new PendingRead();
        KeyStore store = store(path, pending);
        LocalWaiters waiters = new LocalWaiters(localIndex);
        LocalGrants grants = new LocalGrants(localIndex);
        GrantMaker maker = new GrantMaker(
                store, grants, holderCount, sessions, detachedSessions, fences, settings, environment, untold);
        EndedSlots ended = new EndedSlots(environment, api, detector, grants, settings);
        TicketRides rides = rides(store, waiters);
        SlotScheduler slots = new SlotScheduler(
                store, waiters, maker, holderCount, rides, detector, ended, transactions, settings, environment);
        TicketQueue tickets = new TicketQueue(
                environment, store, rides, waiters, maker, slots, transactions, sessions, names, settings, pace);
        return new KeyParts(
                environment,
                pending,
                store,
                waiters,
                grants,
                slots,
                rides,
                tickets,
                new GrantKeeper(
                        environment,
                        store,
                        grants,
                        waiters,
                        maker,
                        slots,
                        transactions,
                        sessions,
                        detachedSessions,
                        fences,
                        settings,
                        new GrantRenewals(
                                key,
                                environment,
                                store,
                                grants,
                                maker,
                                transactions,
                                sessions,
                                detachedSessions,
                                fences,
                                settings),
                        untold),
                new KeyClaims(
                        environment,
                        store,
                        waiters,
                        maker,
                        slots,
                        holderCount,
                        tickets,
                        keyIndex,
                        fences,
                        transactions,
                        settings),
                new OperatorCalls(store, grants, waiters, maker, slots, tickets, transactions, fences),
                new KeyForgetter(environment, store, ended, keyIndex, transactions, settings),
                listener -> new OnDemandWatch(environment, api, budget, detector, path, listener));
    }

    private TicketRides rides(KeyStore store, LocalWaiters waiters) {
        TicketWriter writer =
                new TicketWriter(environment, store(store.path(), new PendingRead()), transactions, sessions);
        return new TicketRides(environment, store, writer, waiters, transactions, sessions, settings);
    }

    private KeyStore store(KeyPath path, PendingRead pending) {
        return new KeyStore(environment, api, commit, sessions, fences, detector, path, pending);
    }
}
