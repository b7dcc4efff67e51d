package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.RosterDocument;
import java.util.HashMap;
import java.util.Map;

/** Rosters that end with the process. */
final class VolatileStore implements RosterStore {
    private volatile Map<String, RosterDocument> documents = Map.of();

    @Override
    public Map<String, RosterDocument> documents() {
        return documents;
    }

    @Override
    public boolean isCertain() {
        return true;
    }

    @Override
    public void confirm() {}

    @Override
    public void replace(Map<String, RosterDocument> changed) {
        Map<String, RosterDocument> next = new HashMap<>(documents);
        next.putAll(changed);
        documents = Map.copyOf(next);
    }

    @Override
    public void shortenIfLong() {}

    @Override
    public void close() {}
}
