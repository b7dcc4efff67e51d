package io.flockgate.gateway.server;

import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Rosters in memory whose reads fail or hang, depending on the group's name. Once a group was
 * unavailable, so is the list of all.
 */
public final class FaultyRosters implements RosterStore {
    /** Rosters with these faults: {@code --storage=faulty}. */
    public static final class Provider implements RosterProvider {
        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public Future<RosterStorage> open(RosterSettings settings) {
            return Future.succeededFuture(new RosterStorage(new FaultyRosters(), settings, Thread::startVirtualThread));
        }
    }

    private final Map<String, RosterDocument> documents = new ConcurrentHashMap<>();
    private volatile boolean unavailable;

    @Override
    public Map<String, RosterDocument> readAll() {
        if (unavailable) {
            throw unavailable();
        }
        return Map.copyOf(documents);
    }

    @Override
    public Stored read(String group) {
        switch (group) {
            case "unavailable" -> {
                unavailable = true;
                throw unavailable();
            }
            case "closed" -> throw new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "closed");
            case "silent" -> new Semaphore(0).acquireUninterruptibly();
            case "failing" -> throw new IllegalStateException("a fault");
            default -> {}
        }
        RosterDocument document = documents.getOrDefault(group, RosterDocument.NONE);
        return new Stored(document, document.revision());
    }

    private static StorageException unavailable() {
        return new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "s3cret reason");
    }

    @Override
    public boolean write(String group, RosterDocument document, long version) {
        documents.put(group, document);
        return true;
    }

    @Override
    public void close() {}
}
