package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.RosterDocument;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.storage.memory.journal.JournalFile;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rosters of all groups in a journal. A change of a group appends the group's whole document.
 */
final class RosterJournal implements RosterStore {
    static final String KIND = "fleetlock";

    private static final String REMEDY =
            "Put back a copy of it, or, if no machine of any group is rebooting, move it away: then all slots are free";
    private static final Logger LOG = LoggerFactory.getLogger(RosterJournal.class);

    private final JournalFile file;
    private volatile Map<String, RosterDocument> documents;

    /**
     * False until the first snapshot: before it, the file may be long, or its last writer may have
     * failed.
     */
    private boolean fresh;

    private RosterJournal(JournalFile file, Map<String, RosterDocument> documents) {
        this.file = file;
        this.documents = Map.copyOf(documents);
    }

    /**
     * Takes ownership of the directory, and closes it on failure. The content that it reads may
     * exist only in the system's memory, for instance after a failed sync of another process, so it
     * writes a snapshot. If that fails, the rosters can be read but are not {@link #isCertain
     * certain}.
     *
     * @throws IOException with a message for the operator, if the journal is damaged, or if none
     *     exists and none can be written
     */
    static RosterJournal open(DataDirectory directory) throws IOException {
        Map<String, RosterDocument> documents = new HashMap<>();
        JournalFile file = JournalFile.open(directory, KIND, REMEDY, record -> {
            RosterRecord read = RosterRecord.decode(record);
            documents.put(read.group(), read.document());
        });
        RosterJournal journal = new RosterJournal(file, documents);
        try {
            journal.confirm();
        } catch (IOException e) {
            if (documents.isEmpty()) {
                try (file) {
                    throw e;
                }
            }
            LOG.atDebug().addKeyValue("err", Reason.of(e)).log("the rosters could not be written again");
        }
        return journal;
    }

    @Override
    public Map<String, RosterDocument> documents() {
        return documents;
    }

    @Override
    public boolean isCertain() {
        return fresh && file.isCertain();
    }

    @Override
    public void confirm() throws IOException {
        file.rewrite(records(documents));
        fresh = true;
    }

    private static List<byte[]> records(Map<String, RosterDocument> documents) {
        return documents.entrySet().stream()
                .map(each -> new RosterRecord(each.getKey(), each.getValue()).encode())
                .toList();
    }

    @Override
    public void replace(Map<String, RosterDocument> changed) throws IOException {
        file.append(records(changed));
        Map<String, RosterDocument> next = new HashMap<>(documents);
        next.putAll(changed);
        documents = Map.copyOf(next);
    }

    @Override
    public void shortenIfLong() {
        file.shortenIfLong(() -> records(documents));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
