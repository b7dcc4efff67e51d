package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.RosterDocument;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file with the rosters of all groups, which is replaced as a whole.
 *
 * <ol>
 *   <li>Write the new content to a file of another name.
 *   <li>Sync that file.
 *   <li>Rename it, in place of the old file.
 *   <li>Sync the directory.
 * </ol>
 *
 * <p>A failure before the rename leaves the old file. If the rename or the last sync fails, the next start may find the old file
 * or the new one. That ends when a later replacement succeeds. A file whose sync has failed is not used again: it is unknown
 * which of its bytes are durable, and a later sync would not report that.
 *
 * <p>The journal of earlier versions is read if there is no file yet, and deleted once there is one.
 */
final class RosterFile implements RosterStore {
    static final String NAME = "fleetlock.json";
    static final String NEW = "fleetlock.json.new";
    static final String JOURNAL = "fleetlock.journal";

    private static final Logger LOG = LoggerFactory.getLogger(RosterFile.class);

    private final RosterDisk disk;
    private volatile Map<String, RosterDocument> documents;
    private boolean certain;
    private boolean journalLeft;

    private RosterFile(RosterDisk disk, Map<String, RosterDocument> documents, boolean journalLeft) {
        this.disk = disk;
        this.documents = documents;
        this.journalLeft = journalLeft;
    }

    /**
     * Takes over the disk, and closes it on failure. What it reads may be in the system's memory only, as after a sync that failed
     * in another process, so that it writes the file again. If that fails, the rosters can be read but are not {@link #isCertain
     * certain}.
     *
     * @throws IOException with a message for the operator, if the file is damaged, or if there is none and none can be written
     */
    static RosterFile open(RosterDisk disk) throws IOException {
        try {
            Optional<byte[]> content = disk.read(NAME);
            Optional<byte[]> journal = disk.read(JOURNAL);
            RosterFile file = new RosterFile(disk, documents(disk, content, journal), journal.isPresent());
            if (content.isPresent() || journal.isPresent()) {
                file.tryToConfirm();
            } else {
                file.confirm();
            }
            return file;
        } catch (IOException | RuntimeException e) {
            try (disk) {
                throw e;
            }
        }
    }

    private static Map<String, RosterDocument> documents(
            RosterDisk disk, Optional<byte[]> content, Optional<byte[]> journal) throws IOException {
        if (content.isPresent()) {
            try {
                return Map.copyOf(RosterFileCodec.decode(content.get()));
            } catch (IOException e) {
                throw unusable(NAME, disk, e);
            }
        }
        return journal.isPresent() ? migrated(disk, journal.get()) : Map.of();
    }

    private static Map<String, RosterDocument> migrated(RosterDisk disk, byte[] journal) throws IOException {
        try {
            JournalReader.Content content = JournalReader.read(journal);
            LOG.atInfo()
                    .addKeyValue("directory", disk)
                    .addKeyValue("bytes", journal.length)
                    .addKeyValue("interrupted", journal.length - content.length())
                    .log("the journal of an earlier version is replaced by " + NAME);
            Map<String, RosterDocument> documents = new HashMap<>();
            content.rosters().forEach((group, roster) -> documents.put(group, new RosterDocument(1, "", 0, roster)));
            return Map.copyOf(documents);
        } catch (IOException e) {
            throw unusable(JOURNAL, disk, e);
        }
    }

    private static IOException unusable(String name, RosterDisk disk, IOException reason) {
        return new IOException(
                "the file " + name + " in " + disk + " cannot be used: " + reason.getMessage()
                        + ". It was left as it is. Put back a copy of it. Or, if no machine of any group is rebooting,"
                        + " move it away: then all slots are free",
                reason);
    }

    private void tryToConfirm() {
        try {
            confirm();
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("err", Reason.of(e)).log("the rosters could not be written again");
        }
    }

    @Override
    public Map<String, RosterDocument> documents() {
        return documents;
    }

    @Override
    public boolean isCertain() {
        return certain;
    }

    @Override
    public void confirm() throws IOException {
        write(documents);
    }

    @Override
    public void replace(Map<String, RosterDocument> changed) throws IOException {
        Map<String, RosterDocument> next = new HashMap<>(documents);
        next.putAll(changed);
        write(next);
        documents = Map.copyOf(next);
    }

    private void write(Map<String, RosterDocument> next) throws IOException {
        try (RosterDisk.File file = disk.create(NEW)) {
            file.write(RosterFileCodec.encode(next));
            file.sync();
        }
        certain = false;
        disk.rename(NEW, NAME);
        disk.sync();
        certain = true;
        deleteJournal();
    }

    /** Deletes files that are no longer needed. If that fails, a later write does it. */
    private void deleteJournal() {
        if (!journalLeft) {
            return;
        }
        try {
            disk.delete(JOURNAL);
            journalLeft = false;
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", Reason.of(e)).log("the journal of an earlier version could not be deleted");
        }
    }

    @Override
    public void close() throws IOException {
        disk.close();
    }

    @Override
    public String toString() {
        return NAME + " in " + disk;
    }
}
