package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.RosterDocument;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** The stored rosters of all groups. For one thread at a time, except {@link #documents}. */
interface RosterStore extends Closeable {
    /** The stored documents by group. May be called on any thread. */
    Map<String, RosterDocument> documents();

    /** Whether the next start will find {@link #documents} and nothing else. */
    boolean isCertain();

    /** Stores {@link #documents} again, so that the next start will find them. */
    void confirm() throws IOException;

    /**
     * Replaces the documents of these groups, durably. A failure leaves {@link #documents} as they
     * are.
     */
    void replace(Map<String, RosterDocument> changed) throws IOException;

    /** Makes a long file short. Takes long with large rosters, so no answer should wait for it. */
    void shortenIfLong();
}
