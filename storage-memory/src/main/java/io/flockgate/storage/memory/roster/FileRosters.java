package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.memory.file.DataDirectory;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file for each group: its document as JSON, and a last line with the checksum of all before it.
 * A write replaces the file:
 *
 * <ol>
 *   <li>Write the document to a temporary file, and sync it.
 *   <li>Rename it to the group's file, which therefore always has durable content.
 *   <li>Sync the directory. Before that, a power loss may bring the previous file back.
 * </ol>
 */
final class FileRosters implements RosterStore {
    static final String LOCK = "fleetlock";

    private static final String SUFFIX = ".json";
    private static final String TEMPORARY = "next";
    private static final int CHECKSUM_BYTES = 9;
    private static final Logger LOG = LoggerFactory.getLogger(FileRosters.class);

    private final DataDirectory directory;

    /** What the files contain. */
    private final VolatileRosters kept = new VolatileRosters();

    private FileRosters(DataDirectory directory) {
        this.directory = directory;
    }

    /**
     * Reads all files, and makes their names durable. Takes ownership of the directory, and closes
     * it on failure.
     *
     * @throws IOException with a message for the operator, if a file is damaged
     */
    static FileRosters open(DataDirectory directory) throws IOException {
        FileRosters rosters = new FileRosters(directory);
        try {
            for (String name : directory.names()) {
                if (name.endsWith(SUFFIX)) {
                    rosters.kept.put(name.substring(0, name.length() - SUFFIX.length()), rosters.load(name));
                }
            }
            directory.sync();
            return rosters;
        } catch (IOException e) {
            try (directory) {
                throw e;
            }
        }
    }

    private RosterDocument load(String name) throws IOException {
        try (InputStream file = directory.read(name).orElseThrow().open()) {
            RosterDocument document = parse(file.readAllBytes());
            if (document == null) {
                throw new IOException("the file " + name + " in " + directory + " is damaged. Put back a copy of it,"
                        + " or, if no machine of the group is rebooting, move it away: then all slots are free");
            }
            return document;
        }
    }

    /** Null for bytes that this class has not written. */
    private static @Nullable RosterDocument parse(byte[] bytes) {
        int length = bytes.length - CHECKSUM_BYTES;
        if (length < 0 || !Arrays.equals(checksum(bytes, length), 0, CHECKSUM_BYTES, bytes, length, bytes.length)) {
            return null;
        }
        return RosterDocument.parse(Arrays.copyOf(bytes, length));
    }

    private static byte[] checksum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (HexFormat.of().toHexDigits((int) sum.getValue()) + "\n").getBytes(UTF_8);
    }

    @Override
    public Map<String, RosterDocument> readAll() {
        return kept.readAll();
    }

    @Override
    public Stored read(String group) {
        return kept.read(group);
    }

    @Override
    public boolean write(String group, RosterDocument document, long version) {
        byte[] bytes = document.toBytes();
        try {
            directory.checkLock();
            try (DataDirectory.File file = directory.create(TEMPORARY)) {
                file.write(bytes);
                file.write(checksum(bytes, bytes.length));
                file.sync();
            }
        } catch (IOException e) {
            throw failure(Effect.NOT_DONE, e);
        }
        try {
            directory.rename(TEMPORARY, group + SUFFIX);
            directory.sync();
        } catch (IOException e) {
            throw failure(Effect.UNKNOWN, e);
        }
        kept.put(group, document);
        return true;
    }

    private StorageException failure(Effect effect, IOException e) {
        return new StorageException(
                FailureKind.UNAVAILABLE, effect, "rosters cannot be written to " + directory + ": " + Reason.of(e), e);
    }

    @Override
    public void close() {
        try {
            directory.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", Reason.of(e)).log("rosters not closed cleanly");
        }
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    /** Documents that end with the process. */
    static final class VolatileRosters implements RosterStore {
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
}
