package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Roster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rosters on disk: a header, then frames. The first frame makes the rosters as they were when the file was written, each
 * later one changes them. A frame is written and synced before the next is begun, and a file is whole and synced before it
 * takes the journal's name.
 *
 * <p>After a failed write or sync nothing is known of what the file holds, nor will a later sync tell: so nothing is ever
 * added to that file again, and the next change begins with a new one in its place.
 */
final class Journal implements RosterLog {
    static final String NAME = "fleetlock.journal";
    static final String NEW = "fleetlock.journal.new";

    /** Smaller files are not worth the work. */
    static final int LEAST_TO_COMPACT = 256 * 1024;

    private static final int COMPACT_WHEN_TIMES = 4;
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private final JournalDisk disk;
    private final int leastToCompact;
    private volatile Map<String, Roster> rosters;
    private JournalDisk.@Nullable File file;
    private long length;
    private long firstLength;
    private long frames;
    private boolean certain;

    private Journal(JournalDisk disk, int leastToCompact, Map<String, Roster> rosters) {
        this.disk = disk;
        this.leastToCompact = leastToCompact;
        this.rosters = rosters;
    }

    /**
     * Takes over the disk, and closes it on failure. What was read may be in the system's memory only, as after a sync that
     * failed in another process: it is written anew. If that fails there are rosters to read, but nothing is {@link #certain}.
     *
     * @throws IOException with words for the operator, when there is a journal that cannot be trusted, or none can be made
     */
    static Journal open(JournalDisk disk, int leastToCompact) throws IOException {
        try {
            Optional<byte[]> found = disk.read(NAME);
            if (found.isPresent()) {
                Replay replay = replay(disk, found.get());
                warnOfTornEnd(disk, replay, found.get().length);
                Journal journal = new Journal(disk, leastToCompact, replay.rosters());
                journal.tryToMend();
                return journal;
            }
            Journal fresh = new Journal(disk, leastToCompact, Map.of());
            fresh.mend();
            return fresh;
        } catch (IOException | RuntimeException e) {
            try (disk) {
                throw e;
            }
        }
    }

    private void tryToMend() {
        try {
            mend();
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("err", e.toString()).log("the journal could not be written anew");
        }
    }

    private static Replay replay(JournalDisk disk, byte[] content) throws IOException {
        try {
            return Replay.of(content);
        } catch (IOException e) {
            throw new IOException(
                    "the journal " + NAME + " in " + disk + " cannot be used: " + e.getMessage()
                            + ". It has been left as it is. Put back a copy of it; or, when no machine of any group is"
                            + " rebooting, move it away to begin with empty rosters",
                    e);
        }
    }

    private static void warnOfTornEnd(JournalDisk disk, Replay replay, int found) {
        if (replay.length() < found) {
            LOG.atWarn()
                    .addKeyValue("file", NAME)
                    .addKeyValue("directory", disk)
                    .addKeyValue("offset", replay.length())
                    .addKeyValue("bytes", found - replay.length())
                    .log("the last write to the journal was interrupted; nobody was told of it, and it is cut off");
        }
    }

    @Override
    public Map<String, Roster> rosters() {
        return rosters;
    }

    @Override
    public boolean certain() {
        return certain;
    }

    @Override
    public void mend() throws IOException {
        if (file == null) {
            replace();
        }
    }

    /** Writes the rosters to a new file and puts it in the place of the journal. */
    private void replace() throws IOException {
        giveUpFile();
        byte[] content = first(rosters);
        JournalDisk.File fresh = disk.create(NEW);
        try {
            fresh.write(0, content);
            fresh.sync();
            disk.rename(NEW, NAME);
            disk.sync();
        } catch (IOException | RuntimeException e) {
            try (fresh) {
                throw e;
            }
        }
        file = fresh;
        length = content.length;
        firstLength = content.length;
        frames = 1;
        certain = true;
    }

    private static byte[] first(Map<String, Roster> rosters) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(Replay.HEADER);
        content.writeBytes(new Frame(1, Changes.encode(Map.of(), rosters)).encode());
        return content.toByteArray();
    }

    @Override
    public void append(Map<String, Roster> changed) throws IOException {
        JournalDisk.File open = file;
        if (open == null) {
            throw new IllegalStateException("not mended");
        }
        byte[] bytes = new Frame(frames + 1, Changes.encode(rosters, changed)).encode();
        try {
            certain = false;
            open.write(length, bytes);
            open.sync();
        } catch (IOException | RuntimeException | Error e) {
            certain = cutBack(open);
            giveUpFile();
            throw e;
        }
        certain = true;
        length += bytes.length;
        frames++;
        Map<String, Roster> next = new HashMap<>(rosters);
        next.putAll(changed);
        rosters = Map.copyOf(next);
    }

    private boolean cutBack(JournalDisk.File failed) {
        try {
            failed.cut(length);
            failed.sync();
            return true;
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("err", e.toString()).log("the journal could not be cut back");
            return false;
        }
    }

    @Override
    public void tidy() throws IOException {
        if (file != null && length >= leastToCompact && length >= COMPACT_WHEN_TIMES * firstLength) {
            replace();
        }
    }

    private void giveUpFile() {
        JournalDisk.File given = file;
        file = null;
        try {
            if (given != null) {
                given.close();
            }
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("err", e.toString()).log("the journal was not closed cleanly");
        }
    }

    @Override
    public void close() throws IOException {
        giveUpFile();
        disk.close();
    }

    @Override
    public String toString() {
        return NAME + " in " + disk;
    }
}
