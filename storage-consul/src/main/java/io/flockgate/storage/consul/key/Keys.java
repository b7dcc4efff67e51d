package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LimitOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.TicketMark;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Routes calls to the actors of their keys, and watches the keys of all gateways. Thread safe; no
 * call blocks.
 */
public final class Keys {
    /** The time for which failures of the read of all keys are not reported. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Environment environment;
    private final ConsulApi api;
    private final KeyPaths paths;
    private final GatewaySettings settings;
    private final FenceGuard fences;
    private final SharedParts shared;
    private final KeyActors actors;
    private final KeyListing listing;
    private final KeyCollector collector;
    private final Orphans orphans;
    private final ConsulHealth readHealth;
    private volatile @Nullable PrefixWatch watch;

    /** Creates the router to the keys' actors. It reads nothing before {@link #start}. */
    public Keys(GatewayContext gateway, KeyActors actors) {
        this.environment = gateway.environment();
        this.api = gateway.api();
        this.paths = gateway.paths();
        this.settings = gateway.settings();
        this.fences = gateway.fences();
        this.shared = new SharedParts(gateway);
        this.actors = actors;
        this.readHealth = new ConsulHealth(environment, "the read of all keys");
        api.onRefusal(shared.budget::refused);
        this.listing = new KeyListing(
                environment,
                api,
                paths,
                shared.keyIndex,
                new KeyDetails(shared.localIndex, fences, settings.process()),
                this::lastUse);
        this.orphans = new Orphans(environment, api, settings.idle().plus(KeyCollector.OTHERS_DELAY));
        this.collector = new KeyCollector(environment, shared.keyIndex, settings.idle(), this::idleActor);
    }

    /**
     * Starts watching all keys and forgetting idle ones.
     *
     * @param next receives each read of everything below the base before the keys do
     */
    public void start(Duration gcInterval, PrefixWatch.Listener next) {
        watch = PrefixWatch.start(environment, api, paths.base(), 0, new BaseListener(next));
        scheduleGc(gcInterval);
    }

    private void scheduleGc(Duration interval) {
        Timer unused = environment.after(interval.toNanos(), () -> {
            collector.collect(actors.all());
            orphans.collect(shared.keyIndex.orphans());
            shared.detector.forgetGone(shared.keyIndex::isAbsent);
            scheduleGc(interval);
        });
    }

    private KeyActor actor(Key key) {
        return actors.findOrMake(key, absent -> make(absent, environment.now()));
    }

    /** The actor of a key that this gateway has not used since the key last changed. */
    private KeyActor idleActor(Key key) {
        return actors.findOrMake(key, absent -> make(absent, shared.keyIndex.since(absent)));
    }

    private KeyActor make(Key key, long lastActivity) {
        KeyContext context = new KeyContext(shared, key, lastActivity);
        return new KeyActor(context, actor -> {
            shared.detector.retired(key, context.path.prefix());
            actors.remove(actor);
        });
    }

    private long lastUse(Key key) {
        KeyActor actor = actors.find(key);
        return actor == null ? shared.keyIndex.since(key) : actor.lastActivity();
    }

    private interface KeyCall<T> {
        /** Returns false when the actor has retired. */
        boolean put(KeyActor actor, Promise<T> answer);
    }

    private <T> Future<T> at(Key key, KeyCall<T> call) {
        Promise<T> answer = Promise.promise();
        while (true) {
            KeyActor actor = actor(key);
            if (call.put(actor, answer)) {
                return answer.future();
            }
            actors.remove(actor);
        }
    }

    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return at(claim.key(), (actor, answer) -> actor.claim(claim, claimant, answer));
    }

    /** Gives up a place. The ticket must be from this storage. */
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return at(ticket.key(), (actor, answer) -> actor.leave((LocalWaiter) ticket, answer));
    }

    public Future<ReleaseOutcome> release(Key key, Token token) {
        return token.equals(Token.NEVER_ISSUED)
                ? Future.succeededFuture(ReleaseOutcome.NOT_HELD)
                : at(key, (actor, answer) -> actor.release(token, answer));
    }

    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return token.equals(Token.NEVER_ISSUED)
                ? Future.succeededFuture(RenewOutcome.NOT_HELD)
                : at(key, (actor, answer) -> actor.renew(token, leaseSeconds, answer));
    }

    /** Frees the slot with this fence for an operator. */
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return at(key, (actor, answer) -> actor.evict(fence, force, answer));
    }

    /** Takes a waiter out of the queue for an operator. */
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        return at(key, (actor, answer) -> actor.removeWaiter(waiter, answer));
    }

    /** Changes the limit of a semaphore for an operator. */
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return at(key, (actor, answer) -> actor.setLimit(limit, answer));
    }

    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return reading(() -> listing.detail(query));
    }

    public Future<KeyPage> inspect(KeyQuery query) {
        return reading(() -> listing.page(query));
    }

    private <T> Future<T> reading(Supplier<T> read) {
        Promise<T> answer = Promise.promise();
        environment.start("consul-read", () -> {
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
        return shared.keyCount.usage();
    }

    /** The reason why fences are not safe; empty when they are. */
    public Optional<String> whyUnsafe() {
        return fences.whyUnsafe();
    }

    /**
     * The reason why this gateway does not see the changes of other gateways; empty when it sees
     * them.
     */
    public Optional<String> whyBlind() {
        return readHealth
                .failureReason(PATIENCE_NANOS)
                .map(reason -> "the read of all keys below " + paths.base() + " fails. " + reason);
    }

    /** Ends all grants and waits of this gateway. */
    public Future<Void> close() {
        PrefixWatch started = watch;
        if (started != null) {
            started.stop();
        }
        collector.stop();
        List<Future<Void>> closing = new ArrayList<>();
        for (KeyActor actor : actors.all()) {
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
            shared.pace.read(list.entries().size(), shared.budget.isShort(), shared.localIndex.shortestActMillis());
            // The record first, because it decides how the names of keys are read.
            next.found(list, restarted);
            shared.readBudget.read(list.entries());
            shared.keyIndex.update(list).forEach((key, entries) -> pass(key, entries, list.index(), restarted));
            actors.all().stream()
                    .filter(actor -> actor.isBusy() && shared.keyIndex.isAbsent(actor.key()))
                    .forEach(actor ->
                            actor.received(new PendingRead.Read(new KvList(List.of(), list.index()), true, restarted)));
            readHealth.good();
        }

        @Override
        public void asking() {
            next.asking();
            shared.readBudget.asking();
        }

        @Override
        public void unchanged(long index) {
            next.unchanged(index);
            readHealth.good();
        }

        @Override
        public void failed(ConsulException e) {
            shared.detector.failed(e);
            readHealth.failed(e);
        }

        private void pass(Key key, List<KvEntry> entries, long index, boolean restarted) {
            KeyActor actor = actors.find(key);
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
            return settings.isMine(holder) || (ticket != null && settings.isMine(ticket.gateway()));
        }

        @Override
        public long pauseMillis() {
            return shared.pace.pauseMillis();
        }
    }
}
