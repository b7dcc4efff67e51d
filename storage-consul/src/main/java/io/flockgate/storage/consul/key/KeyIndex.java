package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.KeyType;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An index of all keys below the base, the prefix in Consul that the gateways of a cluster share.
 * Thread safe, except {@link #update}.
 *
 * <ol>
 *   <li>A watch reads all keys at most once a second. {@link #update} splits each read by key, and
 *       finds the keys that differ from the previous read.
 *   <li>The states of these keys are replaced, but keep the times at which this gateway first saw
 *       their oldest grants. All other states stay, so that unchanged keys need no new memory.
 *   <li>Keys that the read does not show are removed.
 *   <li>If a key has appeared or disappeared, {@link KeyCount} recounts the keys.
 * </ol>
 */
final class KeyIndex {
    /**
     * The maximum number of grants of a key, oldest first, whose times are kept when the key
     * changes.
     */
    private static final int MAX_HELD = 128;

    private final KeyPaths paths;
    private final Environment environment;
    private final KeyCount count;

    /** The states of all keys, from the last read or from the one that is being processed. */
    private final Map<Key, State> states = new ConcurrentHashMap<>();

    /** The number of the last read. For the watch's thread only. */
    private long reads;

    /**
     * What a read shows of a key.
     *
     * @param unused the entries of the key; null if it is held, waited for, or of a type that is
     *     never deleted
     * @param idle whether it is neither held nor waited for
     * @param heldSince the times of the first reads that showed its oldest grants, by the grants'
     *     indexes
     */
    private record Facts(
            String prefix,
            long fingerprint,
            long since,
            Map<Long, Long> heldSince,
            @Nullable List<KvEntry> unused,
            boolean exists,
            boolean idle) {}

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
     * A key that no gateway uses, or what is left of one, with its entries, and the time since
     * which it has not changed.
     */
    record Unused(Key key, List<KvEntry> entries, long since) {}

    KeyIndex(KeyPaths paths, Environment environment, KeyCount count) {
        this.paths = paths;
        this.environment = environment;
        this.count = count;
    }

    /**
     * Updates the index from a read. For the watch's thread only. Claims can use the index while a
     * long list is being processed.
     *
     * @return the keys that have changed, with their entries; a deleted key has none
     */
    Map<Key, List<KvEntry>> update(KvList list) {
        long now = environment.now();
        Update update = new Update(++reads, now);
        byKey(list, update::found);
        update.removeOthers();
        count.read(update.idle, update.otherKeys ? prefixes() : null);
        return update.changed;
    }

    private Set<String> prefixes() {
        return states.values().stream()
                .filter(each -> each.facts.exists())
                .map(each -> each.facts.prefix())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The processing of one read. */
    private final class Update {
        final Map<Key, List<KvEntry>> changed = new HashMap<>();
        private final long read;
        private final long now;
        private long idle;

        /** Whether a key has appeared or disappeared. */
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
            idle += state.facts.idle() ? 1 : 0;
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
     * @param held the times of the grants that the previous read showed
     */
    private Facts facts(Key key, List<KvEntry> entries, Map<Long, Long> held, long now) {
        KeyPath path = paths.of(key);
        KeyView view = KeyView.of(path, new KvList(entries, 1));
        List<KvEntry> unused = isLeftToOthers(view, entries) ? null : List.copyOf(entries);
        boolean idle = view.exists() && !view.isUsedBySessions() && view.slots().isEmpty();
        Map<Long, Long> heldSince = view.slots().stream()
                .limit(MAX_HELD)
                .map(Slot::fenceIndex)
                .collect(Collectors.toUnmodifiableMap(
                        each -> each, each -> held.getOrDefault(each, now), (one, same) -> one));
        return new Facts(path.prefix(), fingerprint(entries), now, heldSince, unused, view.exists(), idle);
    }

    /**
     * Whether this gateway must leave the key alone, because it is in use or is not one that
     * gateways delete.
     */
    private static boolean isLeftToOthers(KeyView view, List<KvEntry> entries) {
        // Including by holders and waiters of a kind that this gateway does not know.
        boolean used = view.isUsedBySessions();
        boolean foreign = view.path().mapped()
                || view.type().filter(KeyType.Foreign.class::isInstance).isPresent();
        return used || foreign || entries.stream().noneMatch(view.path()::isOfGateways);
    }

    private static long fingerprint(List<KvEntry> entries) {
        long print = entries.size();
        for (KvEntry entry : entries) {
            print = 31 * print + entry.modifyIndex();
            print = 31 * print + (entry.session() == null ? 0 : entry.session().hashCode());
        }
        return print;
    }

    /** The keys that no gateway uses, and those of which only orphans remain. */
    List<Unused> unused() {
        List<Unused> unused = new ArrayList<>();
        states.forEach((key, state) -> {
            List<KvEntry> entries = state.facts.unused();
            if (entries != null) {
                unused.add(new Unused(key, entries, state.facts.since()));
            }
        });
        return unused;
    }

    /**
     * Whether the last read does not show the key. Never true of a mapped key, which such a read
     * does not cover. The key may have existed between two reads.
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
     * The time since which the grant with this index has existed, as far as this gateway knows.
     * Renewals do not change the index.
     */
    long heldSince(Key key, long fenceIndex) {
        State state = states.get(key);
        return state == null
                ? environment.now()
                : state.facts.heldSince().getOrDefault(fenceIndex, state.facts.since());
    }

    /**
     * Splits a read of everything below the base by key, and passes on the entries of each key as a
     * sublist, without copying.
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
}
