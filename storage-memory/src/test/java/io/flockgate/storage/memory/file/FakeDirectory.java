package io.flockgate.storage.memory.file;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/**
 * A disk in memory that distinguishes written from durable data, and that can fail at any step. A
 * failed sync makes a part durable, and a later sync of the same file makes no more of it durable,
 * as with the page caches of real systems.
 */
public final class FakeDirectory implements DataDirectory {
    /** The part of its work that a failing step completes. */
    public enum Part {
        NOTHING,
        HALF,
        ALL
    }

    private static final class Inode {
        byte[] content = {};
        byte[] durable = {};
        boolean syncFailed;

        Inode copy(boolean powerLost) {
            Inode copy = new Inode();
            copy.content = (powerLost ? durable : content).clone();
            copy.durable = durable.clone();
            copy.syncFailed = !powerLost && syncFailed;
            return copy;
        }
    }

    private Map<String, Inode> names = new HashMap<>();
    private Map<String, Inode> durableNames = new HashMap<>();
    private IntPredicate fails = step -> false;
    private Part part = Part.NOTHING;
    private boolean full;
    private int steps;
    private int syncs;
    private int closes;
    private volatile CountDownLatch passage = new CountDownLatch(0);
    private volatile CountDownLatch arrival = new CountDownLatch(0);

    public synchronized void failAt(IntPredicate steps, Part done) {
        fails = steps;
        part = done;
    }

    public synchronized void heal() {
        fails = step -> false;
        full = false;
    }

    /** Makes only writes fail, after half of their bytes. */
    public synchronized void fill() {
        full = true;
        part = Part.HALF;
    }

    /** The number of steps so far that could have failed. */
    public synchronized int steps() {
        return steps;
    }

    /** The number of syncs of files so far. */
    public synchronized int syncs() {
        return syncs;
    }

    public synchronized int closes() {
        return closes;
    }

    public synchronized byte[] content(String name) {
        return inode(name).content.clone();
    }

    public synchronized boolean has(String name) {
        return names.containsKey(name);
    }

    public synchronized void put(String name, byte[] content) {
        Inode inode = new Inode();
        inode.content = content.clone();
        inode.durable = content.clone();
        names.put(name, inode);
        durableNames.put(name, inode);
    }

    /**
     * Holds every sync of a file until the latch opens. The returned latch opens when a sync has
     * begun.
     */
    public CountDownLatch hang(CountDownLatch until) {
        CountDownLatch arrived = new CountDownLatch(1);
        arrival = arrived;
        passage = until;
        return arrived;
    }

    /** The disk as left by a process that is killed now. */
    public synchronized FakeDirectory killed() {
        return copy(names, durableNames, false);
    }

    /** The disk as left by a machine that loses power now. */
    public synchronized FakeDirectory powerLost() {
        return copy(durableNames, durableNames, true);
    }

    /**
     * The disk as left by a machine that loses power now, if the file system made names durable
     * earlier than required.
     */
    public synchronized FakeDirectory powerLostAfterNames() {
        return copy(names, names, true);
    }

    private static FakeDirectory copy(Map<String, Inode> names, Map<String, Inode> durableNames, boolean powerLost) {
        FakeDirectory copy = new FakeDirectory();
        IdentityHashMap<Inode, Inode> copied = new IdentityHashMap<>();
        UnaryOperator<Inode> once = inode -> copied.computeIfAbsent(inode, each -> each.copy(powerLost));
        names.forEach((name, inode) -> copy.names.put(name, once.apply(inode)));
        durableNames.forEach((name, inode) -> copy.durableNames.put(name, once.apply(inode)));
        return copy;
    }

    private boolean failsNow() {
        return fails.test(steps++);
    }

    private static IOException failure() {
        return new IOException("No space left on device");
    }

    private Inode inode(String name) {
        Inode inode = names.get(name);
        if (inode == null) {
            throw new AssertionError("no file " + name);
        }
        return inode;
    }

    @Override
    public synchronized Set<String> names() {
        return Set.copyOf(names.keySet());
    }

    @Override
    public synchronized Optional<Content> read(String name) {
        return Optional.ofNullable(names.get(name)).map(inode -> content(inode.content.clone()));
    }

    /** Content that consists of these bytes. */
    public static Content content(byte[] bytes) {
        return new Content() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    @Override
    public synchronized File create(String name) throws IOException {
        boolean failing = failsNow();
        if (!failing || part != Part.NOTHING) {
            names.put(name, new Inode());
        }
        if (failing) {
            throw failure();
        }
        return new FakeFile(inode(name));
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        step(() -> {
            names.put(to, inode(from));
            names.remove(from);
        });
    }

    private void step(Runnable work) throws IOException {
        boolean failing = failsNow();
        if (!failing || part == Part.ALL) {
            work.run();
        }
        if (failing) {
            throw failure();
        }
    }

    @Override
    public synchronized void delete(String name) throws IOException {
        step(() -> names.remove(name));
    }

    @Override
    public void checkLock() {}

    @Override
    public synchronized void check(String name, File file) throws IOException {
        if (names.get(name) != ((FakeFile) file).inode) {
            throw new IOException(name + " was removed while in use");
        }
    }

    /** Removes a file as another process would. */
    public synchronized void remove(String name) {
        names.remove(name);
    }

    @Override
    public synchronized void sync() throws IOException {
        step(() -> durableNames = new HashMap<>(names));
    }

    @Override
    public synchronized void close() {
        closes++;
    }

    @Override
    public String toString() {
        return "fake";
    }

    private final class FakeFile implements File {
        private final Inode inode;
        private boolean closed;

        FakeFile(Inode inode) {
            this.inode = inode;
        }

        private void open() {
            if (closed) {
                throw new AssertionError("a file is used after it was closed");
            }
        }

        @Override
        public void write(byte[] content) throws IOException {
            synchronized (FakeDirectory.this) {
                open();
                boolean failing = failsNow() || full;
                int before = inode.content.length;
                int written = failing ? done(content.length) : content.length;
                inode.content = Arrays.copyOf(inode.content, before + written);
                System.arraycopy(content, 0, inode.content, before, written);
                if (failing) {
                    throw failure();
                }
            }
        }

        private int done(int all) {
            return switch (part) {
                case NOTHING -> 0;
                case HALF -> all / 2;
                case ALL -> all;
            };
        }

        @Override
        public void sync() throws IOException {
            arrival.countDown();
            try {
                passage.await();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
            synchronized (FakeDirectory.this) {
                open();
                syncs++;
                boolean failing = failsNow();
                if (failing) {
                    int more = done(Math.max(0, inode.content.length - inode.durable.length));
                    inode.durable =
                            Arrays.copyOf(inode.content, Math.min(inode.content.length, inode.durable.length + more));
                    inode.syncFailed = true;
                    throw failure();
                }
                inode.durable = inode.syncFailed
                        ? Arrays.copyOf(inode.durable, Math.min(inode.durable.length, inode.content.length))
                        : inode.content.clone();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
