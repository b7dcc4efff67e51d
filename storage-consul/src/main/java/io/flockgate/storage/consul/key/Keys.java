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
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Moves;
import io.flockgate.storage.consul.layout.Place;
import io.flockgate.storage.consul.layout.Places;
import io.flockgate.storage.consul.layout.TicketMark;
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
import java.util.function.LongSupplier;
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
    private final Places places;
    private final LongSupplier clock;
    private final Duration idle;
    private final Node node;
    private final Census census;
    private final Views views;
    private final ConcurrentHashMap<Key, KeyDesk> desks = new ConcurrentHashMap<>();
    private volatile @Nullable KeyWatch watch;
    private volatile @Nullable Listing listing;

    private record Listing(TreeMap<String, KeyView> views, Map<String, Key> keys, long readAt) {}

    /**
     * Nothing is read before {@link #start}.
     *
     * @param watches how many blocking reads of single keys there may be
     * @param commit for transactions that nobody else's are likely to meet
     */
    public Keys(
            ConsulApi api,
            Sessions sessions,
            Places places,
            Moves moves,
            LongSupplier clock,
            NodeSettings settings,
            long maxKeys,
            long fenceBase,
            int watches,
            GroupCommit commit) {
        this.api = api;
        this.places = places;
        this.clock = clock;
        this.idle = settings.idle();
        this.census = new Census(api, places, maxKeys, clock);
        Locals locals = new Locals();
        FenceGuard fences = new FenceGuard(fenceBase);
        this.views = new Views(locals, fences);
        this.node = new Node(
                api,
                commit,
                sessions,
                moves,
                census,
                fences,
                locals,
                new Timers(),
                new WatchBudget(watches),
                new Contact(),
                clock,
                settings,
                new AtomicLong());
    }

    /** Begins to look at all keys. */
    public void start(Duration gcInterval) {
        watch = KeyWatch.start(api, places.base(), clock, 0, new BaseListener());
        scheduleGc(gcInterval);
    }

    private void scheduleGc(Duration interval) {
        Runnable unused = node.timers().after(interval.toNanos(), () -> {
            collect();
            scheduleGc(interval);
        });
    }

    private void collect() {
        long now = clock.getAsLong();
        for (KeyDesk desk : desks.values()) {
            if (!desk.isBusy() && now - desk.lastActivity() > idle.toNanos()) {
                desk.forgetIfIdle();
            }
        }
        for (Key key : census.unchangedFor(idle.plus(OTHERS).toNanos())) {
            KeyDesk unused = desks.computeIfAbsent(key, absent -> desk(absent, census.since(absent)));
        }
    }

    private KeyDesk desk(Key key, long lastActivity) {
        return new KeyDesk(key, places.of(key), node, lastActivity, desk -> desks.remove(desk.key(), desk));
    }

    private interface Call<T> {
        /** False when the desk has retired. */
        boolean put(KeyDesk desk, Promise<T> answer);
    }

    private <T> Future<T> at(Key key, Call<T> call) {
        Promise<T> answer = Promise.promise();
        while (true) {
            KeyDesk desk = desks.computeIfAbsent(key, absent -> desk(absent, clock.getAsLong()));
            if (call.put(desk, answer)) {
                return answer.future();
            }
            desks.remove(key, desk);
        }
    }

    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return at(claim.key(), (desk, answer) -> desk.claim(claim, claimant, answer));
    }

    /** Gives up a place; the ticket is one of this storage's own. */
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return at(ticket.key(), (desk, answer) -> desk.leave((LocalWaiter) ticket, answer));
    }

    public Future<ReleaseOutcome> release(Key key, Token token) {
        return token.equals(Token.NEVER_ISSUED)
                ? Future.succeededFuture(ReleaseOutcome.NOT_HELD)
                : at(key, (desk, answer) -> desk.release(token, answer));
    }

    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return token.equals(Token.NEVER_ISSUED)
                ? Future.succeededFuture(RenewOutcome.NOT_HELD)
                : at(key, (desk, answer) -> desk.renew(token, leaseSeconds, answer));
    }

    public Future<Optional<KeyDetail>> inspect(Key key) {
        return reading(() -> {
            Place place = places.of(key);
            return detail(key, KeyView.of(place, api.list(place.root(), Consistency.DEFAULT)));
        });
    }

    private Optional<KeyDetail> detail(Key key, KeyView view) {
        long since = census.since(key);
        KeyDesk desk = desks.get(key);
        return views.detail(key, view, since, desk == null ? since : desk.lastActivity(), clock.getAsLong());
    }

    public Future<KeyPage> inspect(KeyQuery query) {
        return reading(() -> page(query));
    }

    private KeyPage page(KeyQuery query) {
        Listing all = listing(query.after() != null);
        Key after = query.after();
        var names = after == null
                ? all.views()
                : all.views().tailMap(places.of(after).root(), false);
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
        long now = clock.getAsLong();
        if (next && last != null && now - last.readAt() < PAGES_NANOS) {
            return last;
        }
        TreeMap<String, KeyView> found = new TreeMap<>();
        Map<String, Key> keys = new ConcurrentHashMap<>();
        census.byKey(api.list(places.base(), Consistency.DEFAULT))
                .forEach((key, entries) -> add(key, new KvList(entries, 1), found, keys));
        for (Key key : places.mapped()) {
            add(key, api.list(places.of(key).root(), Consistency.DEFAULT), found, keys);
        }
        Listing fresh = new Listing(found, keys, now);
        listing = fresh;
        return fresh;
    }

    private void add(Key key, KvList list, Map<String, KeyView> found, Map<String, Key> keys) {
        Place place = places.of(key);
        found.put(place.root(), KeyView.of(place, list));
        keys.put(place.root(), key);
    }

    private static <T> Future<T> reading(Supplier<T> read) {
        Promise<T> answer = Promise.promise();
        Thread.ofVirtual().name("consul-read").start(() -> {
            T found;
            try {
                found = read.get();
            } catch (ConsulException e) {
                answer.fail(Failures.of(e));
                return;
            } catch (RuntimeException | Error e) {
                answer.fail(Failures.unexpected(e));
                throw e;
            }
            answer.complete(found);
        });
        return answer.future();
    }

    /** Everything under these sessions is lost. */
    public void sessionsLost(Set<String> sessions) {
        desks.values().forEach(each -> each.sessionsLost(sessions));
    }

    /** Why fences are not safe; empty when they are. */
    public Optional<String> trouble() {
        return node.fences().trouble();
    }

    /** Ends everything that is held and waited for here. */
    public Future<Void> close() {
        KeyWatch looking = watch;
        if (looking != null) {
            looking.stop();
        }
        List<Future<Void>> closing = new ArrayList<>();
        for (KeyDesk desk : desks.values()) {
            Promise<Void> closed = Promise.promise();
            desk.close(closed);
            closing.add(closed.future());
        }
        node.timers().close();
        return Future.join(closing).mapEmpty();
    }

    private final class BaseListener implements KeyWatch.Listener {
        private long pause = SHORTEST_PAUSE_MILLIS;

        @Override
        public void found(KvList list, boolean restarted) {
            // A thousand entries take about a millisecond to read: the more there are, the less often.
            pause = Math.max(SHORTEST_PAUSE_MILLIS, list.entries().size() / 20);
            census.update(list).forEach((key, entries) -> tell(key, entries, list.index(), restarted));
            desks.values().stream()
                    .filter(desk -> desk.isBusy() && census.hasNot(desk.key()))
                    .forEach(desk -> desk.found(new KvList(List.of(), list.index()), true, restarted));
        }

        @Override
        public void failed(ConsulException e) {
            node.noted(e);
        }

        private void tell(Key key, List<KvEntry> entries, long index, boolean restarted) {
            KeyDesk desk = desks.get(key);
            if (desk == null && entries.stream().anyMatch(this::isOurs)) {
                desk = desks.computeIfAbsent(key, absent -> desk(absent, clock.getAsLong()));
            }
            if (desk != null) {
                desk.found(new KvList(entries, index), true, restarted);
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
