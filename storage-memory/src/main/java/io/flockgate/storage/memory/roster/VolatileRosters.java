package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.RosterDocument;
import io.flockgate.roster.support.RosterStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Documents that end with the process. */
final class VolatileRosters implements RosterStore {
    private final Map<String, RosterDocument> documents = new ConcurrentHashMap<>();

    @Override
    public Map<String, RosterDocument> readAll() {
        return Map.copyOf(documents);
    }

    @Override
    public Stored read(String group) {
        RosterDocument document = documents.getOrDefault(group, RosterDocument.NONE);
        return new Stored(document, document.revision());
    }

    @Override
    public boolean write(String group, RosterDocument document, long version) {
        put(group, document);
        return true;
    }

    void put(String group, RosterDocument document) {
        documents.put(group, document);
    }

    @Override
    public void close() {}
}
