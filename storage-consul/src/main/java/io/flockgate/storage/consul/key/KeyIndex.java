package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.format.KeyType;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.KeyPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index of all keys below the base. A watch updates it at most once a second. It finds the keys
 * that have changed, and counts the keys against their maximum. Thread safe.
 */
final class KeyIndex {
    /**
     * If fewer keys than this are free, the keys are counted anew before each new one, because
     * other gateways make keys too.
     */
    private static final int MARGIN = 64;

    /** The oldest grants of a key whose times are remembered over changes of the key. */
    private static final int MAX_HELD = 128;

    private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Logger LOG = LoggerFactory.getLogger(KeyIndex.class);

    private final ConsulApi api;
    private final KeyPaths paths;
    private final long maxKeys;
    private final Environment environment;

    /**
     * The state of all keys in the last read. The next read changes it key by key, so that many
     * keys that do not change need no new memory. A state may be newer than {@link #last}.
     */
    private final Map<Key, State> states = new ConcurrentHashMap<>();

    private volatile Read last;

    /** The number of the last read. For the watch's thread only. */
    private long reads;

    /**
     * The keys that this gateway made lately, with the time. A read that is under way may not show
     * them.
     */
    private final Map<String, Long> made = new HashMap<>();

    private final Map<String, Long> gone = new HashMap<>();
    private Set<String> known = new HashSet<>();

    /** Whether {@code known} may differ from what the last read has shown. */
    private boolean recount = true;

    /** The prefixes of keys of which only orphans are left. They do not count. */
    private Set<String> onlyOrphans = Set.of();

    /** The keys without holders and tickets in the last read. */
    private long idle;

    /**
     * What a key is in a read.
     *
     * @param used whether the key is held, waited for, or of a type that is never forgotten
     * @param exists whether there is more than orphans
     * @param idle whether nobody holds it or waits for it
     * @param heldSince the times of the first reads that have shown its oldest grants, by their
     *     indexes
     */
    private record Facts(
            String prefix,
            long fingerprint,
            long since,
            Map<Long, Long> heldSince,
            boolean used,
            boolean exists,
            boolean idle,
            List<KvEntry> orphans) {}

    /** A key in the index. */
    private static final class State {
        final Facts facts;

        /** The number of the last read that showed the key. For the watch's thread only. */
        long shownBy;

        State(Facts facts) {
            this.facts = facts;
        }
    }

    /**
     * A read of all keys.
     *
     * @param askedAt Consul was asked after this time
     * @param receivedAt the time at which the read came
     */
    private record Read(long askedAt, long receivedAt) {}

    /** The use of a key that this gateway does not use itself. */
    enum Use {
        NONE,
        BY_OTHERS,
        /** The last read may be older than the last use by this gateway. */
        UNKNOWN
    }

    KeyIndex(ConsulApi api, KeyPaths paths, long maxKeys, Environment environment) {
        this.api = api;
        this.paths = paths;
        this.maxKeys = maxKeys;
        this.environment = environment;
        this.last = new Read(environment.now(), environment.now());
    }

    /**
     * Updates the index from a read. For the watch's thread only. Claims do not wait for the work
     * on a long list.
     *
     * @return the keys that have changed, with their entries; a deleted key has none
     */
    Map<Key, List<KvEntry>> update(KvList list) {
        long now = environment.now();
        Update update = new Update(++reads, now);
        byKey(list, update::found);
        update.removeOthers();
        last = new Read(last.receivedAt(), now);
        count(update, now);
        return update.changed;
    }

    /** One read on its way into the index. */
    private final class Update {
        final Map<Key, List<KvEntry>> changed = new HashMap<>();
        private final long read;
        private final long now;
        private long unheld;

        /** Whether a key has appeared or gone. */
        private boolean otherKeys;

        Update(long read, long now) {
            this.read = read;
            this.now = now;
        }

        void found(Key key, List<KvEntry> entries) {
            State state = states.get(key);
            if (state == null || state.facts.fingerprint() != fingerprint(entries)) {
                changed.put(key, entries);
                State before = state;
                Map<Long, Long> held = before == null ? Map.of() : before.facts.heldSince();
                state = new State(facts(key, entries, held, now));
                states.put(key, state);
                otherKeys |= before == null || before.facts.exists() != state.facts.exists();
            }
            state.shownBy = read;
            unheld += state.facts.idle() ? 1 : 0;
        }

        void removeOthers() {
            states.forEach((key, state) -> {
                if (state.shownBy != read) {
                    changed.put(key, List.of());
                    states.remove(key);
                    otherKeys = true;
                }
            });
        }
    }

    /**
     * @param held the times of the grants that the read before has shown
     */
    private Facts facts(Key key, List<KvEntry> entries, Map<Long, Long> held, long now) {
        KeyPath path = paths.of(key);
        KeyView view = KeyView.of(path, new KvList(entries, 1));
        boolean used = entries.stream().anyMatch(each -> each.session() != null) || isLeftToOthers(view);
        List<KvEntry> orphans = Orphans.of(view, entries);
        boolean exists = entries.size() > orphans.size();
        boolean unheld = exists && isIdle(entries);
        Map<Long, Long> heldSince = view.slots().stream()
                .limit(MAX_HELD)
                .map(Slot::fenceIndex)
                .collect(Collectors.toUnmodifiableMap(
                        each -> each, each -> held.getOrDefault(each, now), (one, same) -> one));
        return new Facts(path.prefix(), fingerprint(entries), now, heldSince, used, exists, unheld, orphans);
    }

    /**
     * Whether the key is not to be deleted: others use it, or it is not of this gateway's making.
     */
    static boolean isLeftToOthers(KeyView view) {
        // Also by holders and waiters of a kind that this gateway does not know.
        boolean used = view.isUsedBySessions();
        boolean foreign = view.path().mapped()
                || view.type().filter(KeyType.Foreign.class::isInstance).isPresent();
        return used || foreign || !view.exists();
    }

    /** Nothing is left of an idle key but its lock, or its document, that no session holds. */
    private static boolean isIdle(List<KvEntry> entries) {
        return entries.size() == 1 && entries.getFirst().session() == null;
    }

    private synchronized void count(Update update, long now) {
        idle = update.unheld;
        if (update.otherKeys || recount) {
            Set<String> prefixes = new HashSet<>();
            Set<String> orphaned = new HashSet<>();
            states.values().forEach(each -> (each.facts.exists() ? prefixes : orphaned).add(each.facts.prefix()));
            known = prefixes;
            onlyOrphans = orphaned;
            applyOwnChanges(known, now);
            recount = !made.isEmpty() || !gone.isEmpty();
        }
    }

    synchronized KeyUsage usage() {
        return new KeyUsage(known.size(), Math.min(idle, known.size()), maxKeys);
    }

    private void applyOwnChanges(Set<String> prefixes, long now) {
        made.values().removeIf(at -> now - at > LATELY_NANOS);
        gone.values().removeIf(at -> now - at > LATELY_NANOS);
        prefixes.removeAll(gone.keySet());
        prefixes.addAll(made.keySet());
    }

    /**
     * The entries of each key in a read of everything below the base: parts of the list, which are
     * not copied.
     */
    void byKey(KvList list, BiConsumer<Key, List<KvEntry>> receiver) {
        List<KvEntry> entries = list.entries();
        for (int from = 0, to; from < entries.size(); from = to) {
            String name = entries.get(from).key();
            int end = name.indexOf('/', paths.base().length()) + 1;
            String prefix = name.substring(0, end);
            to = from + 1;
            while (end > 0 && to < entries.size() && entries.get(to).key().startsWith(prefix)) {
                to++;
            }
            Key key = end == 0 ? null : paths.keyOf(name);
            if (key != null) {
                receiver.accept(key, entries.subList(from, to));
            }
        }
    }

    private static long fingerprint(List<KvEntry> entries) {
        long print = entries.size();
        for (KvEntry entry : entries) {
            print = 31 * print + entry.modifyIndex();
            print = 31 * print + (entry.session() == null ? 0 : entry.session().hashCode());
        }
        return print;
    }

    /** The orphans of all keys. */
    List<KvEntry> orphans() {
        List<KvEntry> orphans = new ArrayList<>();
        states.values().forEach(each -> orphans.addAll(each.facts.orphans()));
        return orphans;
    }

    /** The unused keys that have not changed for this time, by this gateway's clock. */
    List<Key> unusedFor(long nanos) {
        long now = environment.now();
        List<Key> unused = new ArrayList<>();
        states.forEach((key, state) -> {
            if (!state.facts.used() && now - state.facts.since() > nanos) {
                unused.add(key);
            }
        });
        return unused;
    }

    /**
     * The use of a key by others in the last read.
     *
     * @param lastActivity the time at which this gateway last used the key
     */
    Use use(Key key, long lastActivity) {
        Read read = last;
        State state = states.get(key);
        if (state == null) {
            return paths.of(key).mapped() ? Use.BY_OTHERS : Use.NONE;
        } else if (!state.facts.used()) {
            return Use.NONE;
        }
        return read.askedAt() - lastActivity > 0 ? Use.BY_OTHERS : Use.UNKNOWN;
    }

    /**
     * Whether the last read would show the key, and does not. The key may have existed between two
     * reads.
     */
    boolean isAbsent(Key key) {
        return !states.containsKey(key) && !paths.of(key).mapped();
    }

    /** The time since which the key has not changed, as far as this gateway knows. */
    long since(Key key) {
        State state = states.get(key);
        return state == null ? environment.now() : state.facts.since();
    }

    /**
     * The time since which the grant of this index has been there, as far as this gateway knows.
     * Renewals do not change the index.
     */
    long heldSince(Key key, long fenceIndex) {
        State state = states.get(key);
        return state == null
                ? environment.now()
                : state.facts.heldSince().getOrDefault(fenceIndex, state.facts.since());
    }

    /**
     * The time at which the key was last used by this gateway or changed by any, as far as this
     * gateway knows. A lease that ends changes the key.
     *
     * @param lastActivity the time at which this gateway last used the key
     */
    long lastUse(Key key, long lastActivity) {
        State state = states.get(key);
        return state == null || state.facts.since() - lastActivity < 0 ? lastActivity : state.facts.since();
    }

    /**
     * Counts a new key before it is made. False when there are too many keys. May read from Consul.
     */
    boolean reserve(KeyPath path) {
        if (path.mapped()) {
            return true;
        }
        synchronized (this) {
            if (known.contains(path.prefix()) || known.size() + MARGIN <= maxKeys) {
                return add(path);
            }
        }
        return reserveWhenNearlyFull(path);
    }

    /** Counts the keys in Consul. For one new key after the other. */
    private synchronized boolean reserveWhenNearlyFull(KeyPath path) {
        try {
            Set<String> prefixes = new HashSet<>();
            for (String name : api.names(paths.base(), "/")) {
                if (paths.keyOf(name) != null) {
                    prefixes.add(name.substring(0, name.length() - 1));
                }
            }
            prefixes.removeAll(onlyOrphans);
            applyOwnChanges(prefixes, environment.now());
            known = prefixes;
            recount = true;
        } catch (ConsulException e) {
            LOG.atDebug().addKeyValue("err", e.getMessage()).log("keys cannot be counted; the last count is used");
        }
        return (known.contains(path.prefix()) || known.size() < maxKeys) && add(path);
    }

    private boolean add(KeyPath path) {
        gone.remove(path.prefix());
        made.put(path.prefix(), environment.now());
        recount = true;
        known.add(path.prefix());
        return true;
    }

    /** Records that this gateway has not made the key. Another gateway may have made it. */
    synchronized void notMade(KeyPath path) {
        made.remove(path.prefix());
    }

    /** Records that the key was deleted. */
    synchronized void gone(KeyPath path) {
        made.remove(path.prefix());
        gone.put(path.prefix(), environment.now());
        recount = true;
        known.remove(path.prefix());
    }
}
