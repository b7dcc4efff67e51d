package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.TicketMark;
import io.flockgate.storage.consul.layout.Transactions;
import io.flockgate.storage.consul.session.Sessions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All keys on this gateway, and the read that shows those of all gateways. Thread safe; no call blocks. */
public final class Keys {
    /** A key whose gateway has died is forgotten by another, so much later. */
    private static final Duration OTHERS = Duration.ofSeconds(10);

    private static final long SHORTEST_PAUSE_MILLIS = 1_000;

    /** A page of the list may come from what was read for the page before. */
    private static final long PAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ConsulApi api;
    private final KeyPaths paths;
    private final Environment environment;
    private final Duration idle;
    private final Node node;
    private final KeyIndex keyIndex;
    private final Views views;
    private final ConcurrentHashMap<Key, KeyActor> actors = new ConcurrentHashMap<>();
    private volatile @Nullable PrefixWatch watch;
    private volatile @Nullable Listing listing;

    private record Listing(TreeMap<String, KeyView> views, Map<String, Key> keys, long readAt) {}

    /**
     * Nothing is read before {@link #start}.
     *
     * @param watches how many blocking reads of single keys there may be
     * @param commit for transactions that nobody else's are likely to meet
     */
    public Keys(
            Environment environment,
            ConsulApi api,
            Sessions sessions,
            KeyPaths paths,
            Transactions transactions,
            NodeSettings settings,
            long maxKeys,
            long fenceBase,
            int watches,
            GroupCommit commit) {
        this.api = api;
        this.paths = paths;
        this.environment = environment;
        this.idle = settings.idle();
        this.keyIndex = new KeyIndex(api, paths, maxKeys, environment);
        LocalIndex localIndex = new LocalIndex();
        FenceGuard fences = new FenceGuard(fenceBase);
        this.views = new Views(localIndex, fences);
        this.node = new Node(
                api,
                commit,
                sessions,
                transactions,
                keyIndex,
                fences,
                localIndex,
                new WatchBudget(watches),
                new Contact(),
                environment,
                settings,
                new AtomicLong());
    }

    /** Begins to look at all keys. */
    public void start(Duration gcInterval) {
        watch = PrefixWatch.start(environment, api, paths.base(), 0, new BaseListener());
        scheduleGc(gcInterval);
    }

    private void scheduleGc(Duration interval) {
        Timer unused = environment.after(interval.toNanos(), () -> {
            collect();
            scheduleGc(interval);
        });
    }

    private void collect() {
        long now = environment.now();
        for (KeyActor actor : actors.values()) {
            if (!actor.isBusy() && now - actor.lastActivity() > idle.toNanos()) {
                actor.forgetIfIdle();
            }
        }
        for (Key key : keyIndex.unchangedFor(idle.plus(OTHERS).toNanos())) {
            KeyActor unused = actors.computeIfAbsent(key, absent -> actor(absent, keyIndex.since(absent)));
        }
    }

    private KeyActor actor(Key key, long lastActivity) {
        return new KeyActor(key, paths.of(key), node, lastActivity, actor -> actors.remove(actor.key(), actor));
    }

    private interface Call<T> {
        /** False when the desk has retired. */
        boolean put(KeyActor actor, Promise<T> answer);
    }

    private <T> Future<T> at(Key key, Call<T> call) {
        Promise<T> answer = Promise.promise();
        while (true) {
            KeyActor actor = actors.computeIfAbsent(key, absent -> actor(absent, environment.now()));
            if (call.put(actor, answer)) {
                return answer.future();
            }
            actors.remove(key, actor);
        }
    }

    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return at(claim.key(), (actor, answer) -> actor.claim(claim, claimant, answer));
    }

    /** Gives up a place; the ticket is one of this storage's own. */
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

    public Future<Optional<KeyDetail>> inspect(Key key) {
        return reading(() -> {
            KeyPath path = paths.of(key);
            return detail(key, KeyView.of(path, api.list(path.root(), Consistency.DEFAULT)));
        });
    }

    private Optional<KeyDetail> detail(Key key, KeyView view) {
        long since = keyIndex.since(key);
        KeyActor actor = actors.get(key);
        return views.detail(key, view, since, actor == null ? since : actor.lastActivity(), environment.now());
    }

    public Future<KeyPage> inspect(KeyQuery query) {
        return reading(() -> page(query));
    }

    private KeyPage page(KeyQuery query) {
        Listing all = listing(query.after() != null);
        Key after = query.after();
        var names = after == null
                ? all.views()
                : all.views().tailMap(paths.of(after).root(), false);
        List<KeySummary> page = new ArrayList<>();
        Key last = null;
        for (Map.Entry<String, KeyView> each : names.entrySet()) {
            if (page.size() == query.limit()) {
                return new KeyPage(page, last);
            }
            Key key = all.keys().get(each.getKey());
            if (key != null && key.startsWith(query.prefix())) {
                detail(key, each.getValue()).map(KeyDetail::summary).ifPresent(page::add);
                last = key;
            }
        }
        return new KeyPage(page, null);
    }

    private Listing listing(boolean next) {
        Listing last = listing;
        long now = environment.now();
        if (next && last != null && now - last.readAt() < PAGES_NANOS) {
            return last;
        }
        TreeMap<String, KeyView> found = new TreeMap<>();
        Map<String, Key> keys = new ConcurrentHashMap<>();
        keyIndex.byKey(api.list(paths.base(), Consistency.DEFAULT))
                .forEach((key, entries) -> add(key, new KvList(entries, 1), found, keys));
        for (Key key : paths.mapped()) {
            add(key, api.list(paths.of(key).root(), Consistency.DEFAULT), found, keys);
        }
        Listing fresh = new Listing(found, keys, now);
        listing = fresh;
        return fresh;
    }

    private void add(Key key, KvList list, Map<String, KeyView> found, Map<String, Key> keys) {
        KeyPath path = paths.of(key);
        found.put(path.root(), KeyView.of(path, list));
        keys.put(path.root(), key);
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

    /** Everything under these sessions is lost. */
    public void sessionsLost(Set<String> sessions) {
        actors.values().forEach(each -> each.sessionsLost(sessions));
    }

    /** Why fences are not safe; empty when they are. */
    public Optional<String> trouble() {
        return node.fences().trouble();
    }

    /** Ends everything that is held and waited for here. */
    public Future<Void> close() {
        PrefixWatch looking = watch;
        if (looking != null) {
            looking.stop();
        }
        List<Future<Void>> closing = new ArrayList<>();
        for (KeyActor actor : actors.values()) {
            Promise<Void> closed = Promise.promise();
            actor.close(closed);
            closing.add(closed.future());
        }
        return Future.join(closing).mapEmpty();
    }

    private final class BaseListener implements PrefixWatch.Listener {
        private long pause = SHORTEST_PAUSE_MILLIS;

        @Override
        public void found(KvList list, boolean restarted) {
            // A thousand entries take about a millisecond to read: the more there are, the less often.
            pause = Math.max(SHORTEST_PAUSE_MILLIS, list.entries().size() / 20);
            keyIndex.update(list).forEach((key, entries) -> tell(key, entries, list.index(), restarted));
            actors.values().stream()
                    .filter(actor -> actor.isBusy() && keyIndex.hasNot(actor.key()))
                    .forEach(actor -> actor.found(new KvList(List.of(), list.index()), true, restarted));
        }

        @Override
        public void failed(ConsulException e) {
            node.noted(e);
        }

        private void tell(Key key, List<KvEntry> entries, long index, boolean restarted) {
            KeyActor actor = actors.get(key);
            if (actor == null && entries.stream().anyMatch(this::isOurs)) {
                actor = actors.computeIfAbsent(key, absent -> actor(absent, environment.now()));
            }
            if (actor != null) {
                actor.found(new KvList(entries, index), true, restarted);
            }
        }

        /** Something of this process where this gateway knows of nothing: it is left over. */
        private boolean isOurs(KvEntry entry) {
            HolderMark holder = HolderMark.parse(entry.value());
            TicketMark ticket = holder == null ? TicketMark.parse(entry.value()) : null;
            return node.settings().isMine(holder)
                    || (ticket != null && node.settings().isMine(ticket.gateway()));
        }

        @Override
        public long pauseMillis() {
            return pause;
        }
    }
}
