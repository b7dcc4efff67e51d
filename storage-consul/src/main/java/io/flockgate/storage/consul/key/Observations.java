package io.flockgate.storage.consul.key;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Since when, by this gateway's own clock, each of some entries has stood as it stands. Clocks of other machines are not asked.
 */
final class Observations {
    private record Seen(long modifyIndex, long since) {}

    private final Map<String, Seen> seen = new HashMap<>();

    /** Since when the entry has had this index, as far as is known here. */
    long since(String entry, long modifyIndex, long now) {
        Seen last = seen.get(entry);
        if (last == null || last.modifyIndex() != modifyIndex) {
            last = new Seen(modifyIndex, now);
            seen.put(entry, last);
        }
        return last.since();
    }

    void keepOnly(Set<String> entries) {
        seen.keySet().retainAll(entries);
    }
}
