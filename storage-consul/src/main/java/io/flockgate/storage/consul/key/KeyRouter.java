package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Routes calls to the actors of their keys, and watches the keys of all gateways. Thread safe; no
 * call blocks.
 */
public final class KeyRouter {
    /** The time for which failures of the read of all keys are not reported. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final LocalGateway gateway;
    private final ConcurrentHashMap<Key, KeyActor> actors = new ConcurrentHashMap<>();
    private final KeyListing listing;
    private final KeyCollector collector;
    private final ConsulHealth readHealth;
    private volatile @Nullable PrefixWatch watch;

    /** Creates the router to the keys' actors. It reads nothing before {@link #start}. */
    public KeyRouter(LocalGateway gateway) {
        this.gateway = gateway;
        Environment environment = gateway.environment;
        this.readHealth = new ConsulHealth(environment, "the read of all keys");
        gateway.api.onRefusal(gateway.budget::refused);
        this.listing = new KeyListing(gateway, this::lastUse);
        this.collector = new KeyCollector(gateway, actors);
    }

    /**
     * Starts watching all keys and deleting idle ones.
     *
     * @param next receives each read of everything below the base before the keys do
     */
    public void start(Duration gcInterval, PrefixWatch.Listener next) {
        watch = PrefixWatch.start(gateway.environment, gateway.api, gateway.paths.base(), 0, new BaseListener(next));
        scheduleGc(gcInterval);
    }

    private void scheduleGc(Duration interval) {
        Timer unused = gateway.environment.after(interval.toNanos(), () -> {
            collector.collect();
            gateway.detector.forgetGone(gateway.keyIndex::isAbsent);
            scheduleGc(interval);
        });
    }

    private KeyActor actor(Key key) {
        return actors.computeIfAbsent(key, this::make);
    }

    private KeyActor make(Key key) {
        LocalKey local = new LocalKey(gateway, key);
        return new KeyActor(local, actor -> {
            gateway.detector.retired(key, local.path.prefix());
            actors.remove(actor.key(), actor);
        });
    }

    private long lastUse(Key key) {
        KeyActor actor = actors.get(key);
        return actor == null ? gateway.keyIndex.since(key) : actor.lastActivity();
    }

    /**
     * Makes a call at the actor of a key.
     *
     * @param call returns false when the actor has retired
     */
    public <T> Future<T> at(Key key, BiPredicate<KeyActor, Promise<T>> call) {
        Promise<T> answer = Promise.promise();
        while (true) {
            KeyActor actor = actor(key);
            if (call.test(actor, answer)) {
                return answer.future();
            }
            actors.remove(actor.key(), actor);
        }
    }

    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return reading(() -> listing.detail(query));
    }

    public Future<KeyPage> inspect(KeyQuery query) {
        return reading(() -> listing.page(query));
    }

    /** Runs a blocking read on a thread of its own. */
    public <T> Future<T> reading(Supplier<T> read) {
        Promise<T> answer = Promise.promise();
        gateway.environment.start("consul-read", () -> {
            T found;
            try {
                found = read.get();
            } catch (ConsulException e) {
                answer.fail(StorageExceptions.of(e));
                return;
            } catch (RuntimeException | Error e) {
                answer.fail(StorageExceptions.unexpected(e));
                throw e;
            }
            answer.complete(found);
        });
        return answer.future();
    }

    /** The number of keys of all gateways, with the cap on it. */
    public KeyUsage usage() {
        return gateway.keyCount.usage();
    }

    /** The reason why fences are not safe; empty when they are. */
    public Optional<String> whyUnsafe() {
        return gateway.fences.whyUnsafe();
    }

    /**
     * The reason why this gateway does not see the changes of other gateways; empty when it sees
     * them.
     */
    public Optional<String> whyBlind() {
        return readHealth
                .failureReason(PATIENCE_NANOS)
                .map(reason -> "the read of all keys below " + gateway.paths.base() + " fails. " + reason);
    }

    /** Ends all grants under these sessions. Does not block. */
    public void sessionsLost(Set<String> sessions) {
        actors.values().forEach(each -> each.sessionsLost(sessions));
    }

    /** Ends all grants and waits of this gateway. */
    public Future<Void> close() {
        PrefixWatch started = watch;
        if (started != null) {
            started.stop();
        }
        collector.stop();
        List<Future<Void>> closing = new ArrayList<>();
        for (KeyActor actor : actors.values()) {
            Promise<Void> closed = Promise.promise();
            actor.close(closed);
            closing.add(closed.future());
        }
        return Future.join(closing).mapEmpty();
    }

    private final class BaseListener implements PrefixWatch.Listener {
        private final PrefixWatch.Listener next;

        BaseListener(PrefixWatch.Listener next) {
            this.next = next;
        }

        @Override
        public void found(KvList list, boolean restarted) {
            gateway.pace.read(list.entries().size(), gateway.budget.isShort(), gateway.shortestActMillis());
            // The record first, because it decides how the names of keys are read.
            next.found(list, restarted);
            gateway.readBudget.read(list.entries());
            gateway.keyIndex.update(list).forEach((key, entries) -> pass(key, entries, list.index(), restarted));
            actors.values().stream()
                    .filter(actor -> actor.isBusy() && gateway.keyIndex.isAbsent(actor.key()))
                    .forEach(actor ->
                            actor.received(new PendingRead.Read(new KvList(List.of(), list.index()), true, restarted)));
            readHealth.good();
        }

        @Override
        public void asking() {
            next.asking();
            gateway.readBudget.asking();
            gateway.keyCount.asking();
        }

        @Override
        public void unchanged(long index) {
            next.unchanged(index);
            readHealth.good();
        }

        @Override
        public void failed(ConsulException e) {
            gateway.readFailed(e);
            readHealth.failed(e);
        }

        private void pass(Key key, List<KvEntry> entries, long index, boolean restarted) {
            KeyActor actor = actors.get(key);
            if (actor == null && entries.stream().anyMatch(this::isOurs)) {
                actor = actor(key);
            }
            if (actor != null) {
                actor.received(new PendingRead.Read(new KvList(entries, index), true, restarted));
            }
        }

        /**
         * Whether an entry belongs to this process. If this gateway has no actor for the key, such
         * an entry is left over.
         */
        private boolean isOurs(KvEntry entry) {
            HolderMark holder = HolderMark.parse(entry.value());
            TicketMark ticket = holder == null ? TicketMark.parse(entry.value()) : null;
            return gateway.settings.isMine(holder) || (ticket != null && gateway.settings.isMine(ticket.gateway()));
        }

        @Override
        public long pauseMillis() {
            return gateway.pace.pauseMillis();
        }
    }
}
