package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.stats.KeySummaries;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.Kind;
import io.flockgate.storage.WaitCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys with their holders and waiters, as a storage may show them. Fences and places are numbered
 * in order of arrival.
 */
final class Scene {
    private static final Pattern KEY = Pattern.compile("([^:>]+)=(\\d+)(\\+?)");
    private static final Pattern CLIENT = Pattern.compile("(\\?|(\\d+)([a-z][a-z0-9-]*)?(@\\d)?):([^:>]*)>([^:>]*)");

    private final Map<String, Entry> keys = new LinkedHashMap<>();
    private long count;

    private static final class Entry {
        private final long limit;
        private final boolean more;
        private final List<HolderView> holders = new ArrayList<>();
        private final List<WaiterView> waiters = new ArrayList<>();

        private Entry(long limit, boolean more) {
            this.limit = limit;
            this.more = more;
        }
    }

    /**
     * Adds what the words say.
     *
     * @param words {@code pool=2} is a semaphore, {@code pool=2+} one with holders that are not
     *     shown. {@code 1:a>b} is client 1, which holds {@code a} and waits for {@code b}, or for
     *     nothing, or holds nothing. {@code 1billing@2} has a name, at gateway 2. {@code ?} is a
     *     client that is not known
     */
    @CanIgnoreReturnValue
    Scene add(String words) {
        for (String word : words.split(" ", -1)) {
            Matcher key = KEY.matcher(word);
            Matcher client = CLIENT.matcher(word);
            if (key.matches()) {
                keys.put(
                        key.group(1),
                        new Entry(Long.parseLong(key.group(2)), !key.group(3).isEmpty()));
            } else if (client.matches()) {
                add(client(client), client.group(5), client.group(6));
            } else {
                throw new IllegalArgumentException(word);
            }
        }
        return this;
    }

    private static ClientView client(Matcher word) {
        if (word.group(1).equals("?")) {
            return ClientView.UNKNOWN;
        }
        String gateway = Objects.requireNonNullElse(word.group(4), "@1");
        ClientDescription described = new ClientDescription(Via.CONNECTION, word.group(3), null);
        return new ClientView(Long.parseLong(word.group(2)), described, "gate" + gateway, "gate" + gateway + "-0");
    }

    private void add(ClientView client, String held, String wanted) {
        if (!held.isEmpty()) {
            key(held).holders.add(new HolderView(client, ++count, Age.exact(5, 0), 7));
        }
        if (!wanted.isEmpty()) {
            key(wanted).waiters.add(new WaiterView(client, "w" + ++count, Age.exact(3, 0)));
        }
    }

    private Entry key(String name) {
        return keys.computeIfAbsent(name, ignored -> new Entry(1, false));
    }

    @CanIgnoreReturnValue
    Scene ring(int clients) {
        for (int i = 0; i < clients; i++) {
            add((i + 1) + ":key-" + i + ">key-" + (i + 1) % clients);
        }
        return this;
    }

    /** All holders of a key go, and its waiters stay. */
    @CanIgnoreReturnValue
    Scene freed(String key) {
        key(key).holders.clear();
        return this;
    }

    /** All waiters of a key go. */
    @CanIgnoreReturnValue
    Scene left(String key) {
        key(key).waiters.clear();
        return this;
    }

    List<KeyDetail> details() {
        List<KeyDetail> details = new ArrayList<>();
        keys.forEach((name, each) -> details.add(new KeyDetail(
                KeySummaries.of(
                        Key.of(name),
                        each.limit == 1 ? Kind.LOCK : Kind.SEMAPHORE,
                        each.limit,
                        each.holders.size(),
                        each.waiters.size(),
                        0,
                        0,
                        0,
                        0),
                each.holders,
                each.more,
                each.waiters,
                WaitCounts.NONE)));
        return details;
    }
}
