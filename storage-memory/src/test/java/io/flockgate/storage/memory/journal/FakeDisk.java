package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.journal.FenceStateFile.FenceRecord;
import java.io.IOException;
import java.util.Arrays;

/** A disk in memory that can fail at each operation, tear a write, and lose unsynced data. */
final class FakeDisk implements FenceStateFile.Disk {
    /** Where a write fails. */
    enum Fate {
        WRITTEN,
        TORN,
        NOT_SYNCED
    }

    private byte[] content;
    private byte[] durable;
    private Fate fate = Fate.WRITTEN;
    private int tornAt;
    private boolean readsFail;
    private int writes;
    private int closes;

    FakeDisk(byte[] content) {
        this.content = content.clone();
        this.durable = content.clone();
    }

    static FakeDisk empty() {
        return new FakeDisk(new byte[0]);
    }

    synchronized void failReads() {
        readsFail = true;
    }

    /**
     * Decides the next writes.
     *
     * @param bytes the number of bytes that reach the file if they are torn
     */
    synchronized void fate(Fate next, int bytes) {
        fate = next;
        tornAt = bytes;
    }

    /** The content that the running system sees. */
    synchronized byte[] content() {
        return content.clone();
    }

    /** The content that certainly survives a loss of power. */
    synchronized byte[] durable() {
        return durable.clone();
    }

    synchronized int writes() {
        return writes;
    }

    synchronized int closes() {
        return closes;
    }

    /** The ceiling that the next start would find after a loss of power now. */
    long durableCeiling() {
        return FenceRecord.newest(durable()).orElseThrow().ceiling();
    }

    @Override
    public synchronized byte[] read(int limit) throws IOException {
        if (readsFail) {
            throw new IOException("Input/output error");
        }
        return Arrays.copyOf(content, Math.min(limit, content.length));
    }

    @Override
    public synchronized void write(long offset, byte[] bytes) throws IOException {
        writes++;
        int at = Math.toIntExact(offset);
        int length = fate == Fate.TORN ? Math.min(bytes.length, tornAt) : bytes.length;
        content = Arrays.copyOf(content, length == 0 ? content.length : Math.max(content.length, at + length));
        System.arraycopy(bytes, 0, content, at, length);
        if (fate != Fate.WRITTEN) {
            throw new IOException("No space left on device");
        }
        durable = content.clone();
    }

    @Override
    public synchronized void close() {
        closes++;
    }

    @Override
    public String toString() {
        return "fake";
    }
}
