package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyPaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An index of all keys below the base, from a blocking read of all of them, at most once a second. It counts keys for their
 * limit, and finds those that have changed. Thread safe.
 */
final class KeyIndex {
    /** So close to the limit, the keys are read anew before one is made, because other gateways make keys too. */
    private static final int MARGIN = 64;

    private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Logger LOG = LoggerFactory.getLogger(KeyIndex.class);

    private final ConsulApi api;
    private final KeyPaths paths;
    private final long maxKeys;
    private final Environment environment;

    private Map<Key, State> keys = Map.of();

    /** The keys that this gateway made lately, and when. A read on its way may not show them. */
    private final Map<String, Long> made = new HashMap<>();

    private final Map<String, Long> gone = new HashMap<>();
    private Set<String> known = new HashSet<>();

    /** The state of one key in the last read. */
    record State(String prefix, long fingerprint, long since) {}

    KeyIndex(ConsulApi api, KeyPaths paths, long maxKeys, Environment environment) {
        this.api = api;
        this.paths = paths;
        this.maxKeys = maxKeys;
        this.environment = environment;
    }

    /**
     * Takes in a read.
     *
     * @return the keys that have changed since, gone ones included, with what there is of them
     */
    synchronized Map<Key, List<KvEntry>> update(KvList list) {
        long now = environment.now();
        Map<Key, State> fresh = new LinkedHashMap<>();
        Map<Key, List<KvEntry>> changed = new HashMap<>();
        byKey(list).forEach((key, entries) -> {
            State before = keys.get(key);
            long fingerprint = fingerprint(entries);
            if (before == null || before.fingerprint() != fingerprint) {
                changed.put(key, entries);
                fresh.put(key, new State(paths.of(key).prefix(), fingerprint, now));
            } else {
                fresh.put(key, before);
            }
        });
        keys.keySet().stream().filter(each -> !fresh.containsKey(each)).forEach(each -> changed.put(each, List.of()));
        keys = fresh;
        known = new HashSet<>();
        fresh.values().forEach(each -> known.add(each.prefix()));
        correct(known, now);
        return changed;
    }

    private void correct(Set<String> prefixes, long now) {
        made.values().removeIf(at -> now - at > LATELY_NANOS);
        gone.values().removeIf(at -> now - at > LATELY_NANOS);
        prefixes.removeAll(gone.keySet());
        prefixes.addAll(made.keySet());
    }

    /** The entries of each key in a read of everything below the base. */
    Map<Key, List<KvEntry>> byKey(KvList list) {
        Map<Key, List<KvEntry>> byKey = new LinkedHashMap<>();
        String prefix = "";
        List<KvEntry> entries = new ArrayList<>();
        for (KvEntry entry : list.entries()) {
            int end = entry.key().indexOf('/', paths.base().length());
            if (end < 0) {
                continue;
            }
            String own = entry.key().substring(0, end + 1);
            if (!own.equals(prefix)) {
                prefix = own;
                entries = new ArrayList<>();
                Key key = paths.keyOf(own);
                if (key != null) {
                    byKey.put(key, entries);
                }
            }
            entries.add(entry);
        }
        return byKey;
    }

    private static long fingerprint(List<KvEntry> entries) {
        long print = entries.size();
        for (KvEntry entry : entries) {
            print = 31 * print + entry.modifyIndex();
            print = 31 * print + (entry.session() == null ? 0 : entry.session().hashCode());
        }
        return print;
    }

    /** The keys that have not changed for so long, by this gateway's clock. */
    synchronized List<Key> unchangedFor(long nanos) {
        long now = environment.now();
        List<Key> unchanged = new ArrayList<>();
        keys.forEach((key, state) -> {
            if (now - state.since() > nanos) {
                unchanged.add(key);
            }
        });
        return unchanged;
    }

    /** Whether the last read should show the key, and does not. The key may have come and gone unseen. */
    synchronized boolean hasNot(Key key) {
        return !keys.containsKey(key) && !paths.of(key).mapped();
    }

    /** Since when the key has not changed, as far as this gateway knows. */
    synchronized long since(Key key) {
        State state = keys.get(key);
        return state == null ? environment.now() : state.since();
    }

    /** Counts a key that is about to be made. False when the limit is reached. May read Consul. */
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

    /** Reads the keys' names for each key, one after the other. */
    private synchronized boolean reserveWhenNearlyFull(KeyPath path) {
        try {
            Set<String> prefixes = new HashSet<>();
            for (String name : api.names(paths.base(), "/")) {
                if (paths.keyOf(name) != null) {
                    prefixes.add(name.substring(0, name.length() - 1));
                }
            }
            correct(prefixes, environment.now());
            known = prefixes;
        } catch (ConsulException e) {
            LOG.atDebug().addKeyValue("error", e.getMessage()).log("counting keys by what was seen last");
        }
        return (known.contains(path.prefix()) || known.size() < maxKeys) && add(path);
    }

    private boolean add(KeyPath path) {
        gone.remove(path.prefix());
        made.put(path.prefix(), environment.now());
        known.add(path.prefix());
        return true;
    }

    /** This gateway has not made the key after all. Another gateway may have made it. */
    synchronized void notMade(KeyPath path) {
        made.remove(path.prefix());
    }

    /** The key is there no more. */
    synchronized void gone(KeyPath path) {
        made.remove(path.prefix());
        gone.put(path.prefix(), environment.now());
        known.remove(path.prefix());
    }
}
