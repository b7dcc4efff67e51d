package io.flockgate.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The value of files that are read again when they change. While the files cannot be used, the last
 * value stays, and each unusable version of them is reported once. Checks block. All methods are
 * thread safe: one thread checks while the others use the last value.
 */
public final class ReloadedFiles<T> {
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Reads the files. A failure is an IOException or an IllegalArgumentException. */
    @FunctionalInterface
    public interface Source<T> {
        /** The value of what the files contain now. */
        T read() throws IOException;
    }

    /** Receives notifications of new versions of the files, on the thread that checks them. */
    public interface Observer<T> {
        /** The files have been read again. */
        void reloaded(T value);

        /** The files cannot be used. Called once for each version of them. */
        void unusable(Exception failure);
    }

    private final List<Path> files;
    private final Source<T> source;
    private final Observer<? super T> observer;
    private final ReentrantLock checking = new ReentrantLock();
    private volatile T value;
    private volatile long checkedNanos;
    private volatile boolean distrusted;
    // Guarded by the lock.
    private @Nullable List<FileStamp> stamps;
    private String fault = "";

    private ReloadedFiles(
            List<Path> files,
            Source<T> source,
            Observer<? super T> observer,
            T value,
            @Nullable List<FileStamp> stamps,
            long nowNanos) {
        this.files = files;
        this.source = source;
        this.observer = observer;
        this.value = value;
        this.stamps = stamps;
        this.checkedNanos = nowNanos;
    }

    /**
     * Reads the files for the first time, without a notification.
     *
     * @throws IOException if they cannot be used, as the source reports it
     */
    public static <T> ReloadedFiles<T> read(
            List<Path> files, Source<T> source, Observer<? super T> observer, long nowNanos) throws IOException {
        // The stamps are older than the content: the next check finds a change between the two.
        List<FileStamp> stamps = FileStamp.of(files);
        return new ReloadedFiles<>(files, source, observer, source.read(), stamps, nowNanos);
    }

    /** Begins with a value that was read before. The first check reads the files again. */
    public static <T> ReloadedFiles<T> after(
            T value, List<Path> files, Source<T> source, Observer<? super T> observer) {
        return new ReloadedFiles<>(files, source, observer, value, null, 0);
    }

    /** The last value that could be used. Does not block. */
    public T value() {
        return value;
    }

    /** The value after a check, which runs at most once a second, or at once after a distrust. */
    public T current(long nowNanos) {
        if (distrusted || nowNanos - checkedNanos >= CHECK_NANOS) {
            checked(nowNanos);
        }
        return value;
    }

    /** Makes the next check read the files even if they look unchanged. Does not block. */
    public void distrust() {
        distrusted = true;
    }

    /** Reads the files again if they have changed. */
    public void check() {
        checked(checkedNanos);
    }

    private void checked(long nowNanos) {
        if (!checking.tryLock()) {
            return;
        }
        try {
            boolean mustRead = distrusted;
            distrusted = false;
            checkedNanos = nowNanos;
            List<FileStamp> now = FileStamp.of(files);
            if (mustRead || !fault.isEmpty() || now == null || !now.equals(stamps)) {
                reload(now);
            }
        } finally {
            checking.unlock();
        }
    }

    private void reload(@Nullable List<FileStamp> now) {
        try {
            T read = source.read();
            value = read;
            fault = "";
            observer.reloaded(read);
        } catch (IOException | IllegalArgumentException e) {
            String found = e + " " + now;
            if (!found.equals(fault)) {
                fault = found;
                observer.unusable(e);
            }
        }
        stamps = now;
    }

    /**
     * A stamp that shows whether a file has changed. A replaced file has another key even if time
     * and size are the same.
     */
    private record FileStamp(
            long modifiedNanos, long size, @Nullable Object key) {
        /** The stamps of all files; null when a file does not exist. */
        static @Nullable List<FileStamp> of(List<Path> files) {
            var stamps = new ArrayList<FileStamp>();
            try {
                for (Path file : files) {
                    BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
                    long modified = seen.lastModifiedTime().to(TimeUnit.NANOSECONDS);
                    stamps.add(new FileStamp(modified, seen.size(), seen.fileKey()));
                }
            } catch (IOException e) {
                return null;
            }
            return stamps;
        }
    }
}
