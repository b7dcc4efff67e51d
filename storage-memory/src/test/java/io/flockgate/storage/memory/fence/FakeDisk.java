package io.flockgate.storage.memory.fence;

import io.flockgate.storage.memory.file.StateDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** A disk in memory that can fail at each operation, tear a write, and lose unsynced data. */
final class FakeDisk implements StateDisk {
    private byte[] content;
    private byte[] durable;
    private boolean directorySynced;
    private int writes;
    private int directorySyncs;
    private int closes;
    private @Nullable IOException readFailure;
    private @Nullable IOException writeFailure;
    private @Nullable IOException syncFailure;
    private @Nullable IOException directoryFailure;
    private IntUnaryOperator torn = length -> 0;

    FakeDisk(byte[] content) {
        this.content = content.clone();
        this.durable = content.clone();
    }

    static FakeDisk empty() {
        return new FakeDisk(new byte[0]);
    }

    synchronized void failReads() {
        readFailure = new IOException("Input/output error");
    }

    /** Makes the next writes fail after the given number of bytes have reached the file. */
    synchronized void failWrites(IntUnaryOperator bytesWritten) {
        writeFailure = new IOException("No space left on device");
        torn = bytesWritten;
    }

    synchronized void failSyncs() {
        syncFailure = new IOException("Input/output error");
    }

    synchronized void failDirectorySyncs() {
        directoryFailure = new IOException("Input/output error");
    }

    synchronized void heal() {
        readFailure = null;
        writeFailure = null;
        syncFailure = null;
        directoryFailure = null;
    }

    /** The content that the running system sees. */
    synchronized byte[] content() {
        return content.clone();
    }

    /** The content that certainly survives a loss of power. */
    synchronized byte[] durable() {
        return durable.clone();
    }

    synchronized boolean directorySynced() {
        return directorySynced;
    }

    synchronized int directorySyncs() {
        return directorySyncs;
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
        fail(readFailure);
        return Arrays.copyOf(content, Math.min(limit, content.length));
    }

    @Override
    public synchronized void write(long offset, byte[] bytes) throws IOException {
        writes++;
        int length = writeFailure == null ? bytes.length : Math.min(bytes.length, torn.applyAsInt(bytes.length));
        if (length > 0) {
            int at = Math.toIntExact(offset);
            content = Arrays.copyOf(content, Math.max(content.length, at + length));
            System.arraycopy(bytes, 0, content, at, length);
        }
        fail(writeFailure);
    }

    @Override
    public synchronized void sync() throws IOException {
        fail(syncFailure);
        durable = content.clone();
    }

    @Override
    public synchronized void syncDirectory() throws IOException {
        directorySyncs++;
        fail(directoryFailure);
        directorySynced = true;
    }

    @Override
    public synchronized void close() {
        closes++;
    }

    private static void fail(@Nullable IOException failure) throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "fake";
    }
}
