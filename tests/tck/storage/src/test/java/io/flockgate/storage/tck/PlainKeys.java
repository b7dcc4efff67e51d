package io.flockgate.storage.tck;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@link PlainStorage} and what happens to their holders. Guarded by the storage's
 * mutex.
 */
final class PlainKeys {
    static final Comparator<Key> ORDER = (a, b) -> Arrays.compareUnsigned(a.toBytes(), b.toBytes());

    private final Fault fault;
    private final Mailbox mailbox;
    private final Map<Key, PlainKey> keys = new HashMap<>();
    private final Random salts = new Random(4);
    private long fence;

    PlainKeys(Fault fault, Mailbox mailbox) {
        this.fault = fault;
        this.mailbox = mailbox;
    }

    Collection<PlainKey> all() {
        return keys.values();
    }

    List<PlainKey> inOrder() {
        List<PlainKey> sorted = new ArrayList<>(keys.values());
        sorted.sort(Comparator.comparing(each -> each.name, ORDER));
        return sorted;
    }

    /** The name that a key is kept under: its own. */
    Key name(Key key) {
        byte[] bytes = key.toBytes();
        int length = fault == Fault.KEYS_ARE_CUT ? Math.min(bytes.length, 255) : bytes.length;
        return Objects.requireNonNull(Key.copyOf(bytes, 0, length));
    }

    @Nullable
    PlainKey find(Key key) {
        return keys.get(name(key));
    }

    void add(PlainKey key) {
        keys.put(key.name, key);
    }

    void forgetIfIdle(PlainKey key, long since) {
        if (key.lastActivity < since) {
            keys.remove(key.name);
        }
    }

    PlainKey.@Nullable Holder holder(Key name, Token token, boolean anySalt) {
        for (PlainKey key : keys.values()) {
            if (!key.name.equals(name(name)) && fault != Fault.FINDS_TOKENS_ON_ANY_KEY) {
                continue;
            }
            for (PlainKey.Holder each : key.holders) {
                if (each.fence == token.fence() && (anySalt || each.salt == token.salt())) {
                    return each;
                }
            }
        }
        return null;
    }

    PlainKey.Holder hold(PlainKey key, Claimant claimant, long leaseSeconds, long now) {
        long salt = fault == Fault.SALT_IS_CONSTANT ? 77 : salts.nextLong();
        PlainKey.Holder holder =
                new PlainKey.Holder(key, claimant, nextFence(key), salt, now, leaseEnd(now, leaseSeconds));
        key.holders.add(holder);
        return holder;
    }

    private long nextFence(PlainKey key) {
        if (fault == Fault.FENCES_START_ANEW_WITH_THE_KEY) {
            key.fences++;
            return key.fences;
        }
        return ++fence;
    }

    long leaseEnd(long now, long seconds) {
        long end = now + seconds * 1_000_000_000L;
        if (end < now && fault != Fault.LONGEST_LEASE_OVERFLOWS) {
            return Long.MAX_VALUE;
        }
        return fault == Fault.LEASE_LASTS_SHORTER ? end - 1 : end;
    }

    void end(PlainKey.Holder holder, Ending ending, long now) {
        holder.at.holders.remove(holder);
        holder.at.lastActivity = now;
        mailbox.post(() -> holder.claimant.ended(holder, ending));
    }

    void endAll(long now) {
        for (PlainKey key : keys.values()) {
            for (PlainKey.Holder each : List.copyOf(key.holders)) {
                end(each, Ending.LOST, now);
            }
        }
    }

    void expire(PlainKey key, long now) {
        for (PlainKey.Holder each : List.copyOf(key.holders)) {
            if (each.leaseEnd <= now) {
                end(each, Ending.EXPIRED, now);
            }
        }
        promote(key, now);
    }

    void promote(PlainKey key, long now) {
        while (key.holders.size() < key.limit && !key.waiters.isEmpty()) {
            PlainKey.Waiter head = key.waiters.removeFirst();
            PlainKey.Holder holder = hold(key, head.claimant, head.leaseSeconds, now);
            mailbox.post(() -> head.claimant.granted(head, holder));
        }
    }
}
