package io.flockgate.gateway.rest;

import io.flockgate.gateway.rights.Rights;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.KeyAdministration;
import io.vertx.core.Future;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs passes over all keys on one thread for the whole gateway, so that they take at most one
 * processor and stall no event loop. Their number is limited. Thread safe.
 */
public final class KeyScans {
    /** Maximum number of concurrent passes. */
    static final int MAX = 32;

    /** The passes that only tokens with {@code operate} may begin. */
    static final int FOR_OPERATORS = 4;

    private static final long IDLE_SECONDS = 10;

    private final KeyAdministration storage;
    private final Executor thread;
    private final Capacity all = new Capacity(MAX - FOR_OPERATORS);
    private final Capacity operators = new Capacity(FOR_OPERATORS);

    public KeyScans(KeyAdministration storage) {
        this(storage, thread());
    }

    KeyScans(KeyAdministration storage, Executor thread) {
        this.storage = storage;
        this.thread = thread;
    }

    /** The thread exists only while there is something to do. */
    private static Executor thread() {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-scan").factory());
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /** The thread of the passes, for similar work in short tasks. */
    public Executor executor() {
        return thread;
    }

    /** Begins a pass over the keys that these rights show; null when there are too many. */
    @Nullable
    Future<KeyScan.Found> begin(KeysQuery asked, Rights rights, BooleanSupplier abandoned) {
        Capacity capacity = take(rights);
        return capacity == null
                ? null
                : new KeyScan(storage, rights, asked, thread, abandoned)
                        .run()
                        .onComplete(ignored -> capacity.giveBack(1));
    }

    /** Takes a place for a pass, and returns where it must be given back; null without one. */
    private @Nullable Capacity take(Rights rights) {
        if (all.take()) {
            return all;
        }
        return rights.mayOperate() && operators.take() ? operators : null;
    }
}
