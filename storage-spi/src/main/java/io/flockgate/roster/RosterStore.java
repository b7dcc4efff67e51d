package io.flockgate.roster;

import java.util.Map;

/**
 * Keeps a document for each group, which is replaced by check-and-set. All calls block and may
 * fail with a {@link io.flockgate.storage.StorageException}. One call on a group runs at a time.
 */
public interface RosterStore {
    /**
     * A document as it is stored.
     *
     * @param version the version that a write must name; 0 if the group has no document
     */
    record Stored(RosterDocument document, long version) {
        /** That of a group that was never written. */
        public static final Stored NONE = new Stored(RosterDocument.NONE, 0);
    }

    /** The documents of all groups that have one, by the groups' names, never stale ones. */
    Map<String, RosterDocument> readAll();

    /** The document of a group, never a stale one. */
    Stored read(String group);

    /**
     * Replaces the document of a group, durably. If the call fails with an unknown effect, the
     * document may be replaced now or later, but only while the stored one has this version.
     *
     * @return false if the stored document has another version
     */
    boolean write(String group, RosterDocument document, long version);

    /** Ends all work. Called once, after all other calls. */
    void close();
}
