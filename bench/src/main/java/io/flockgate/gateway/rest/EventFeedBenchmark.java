package io.flockgate.gateway.rest;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Peer;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.memory.MemoryStorageProvider;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of an acquire and a release through a session and the memory storage, in nanoseconds per
 * pair: while no client watches events, while a client watches another prefix, and while a client
 * watches the key and reads nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventFeedBenchmark {
    private static final Duration LONG = Duration.ofHours(1);

    @Param({"nobody", "other", "matching"})
    public String watcher = "nobody";

    private final Claim claim = new Claim(Key.of("bench/key"), Kind.LOCK, 1, LONG.toSeconds(), false);
    private final EventFeed feed = new EventFeed();
    private final Vertx vertx = Vertx.vertx();
    private final EventLoop loop = EventLoop.current(vertx);
    private final LockStorage storage = new MemoryStorageProvider()
            .open(new StorageSettings(
                    vertx,
                    EventLoop::time,
                    "bench",
                    "bench",
                    "",
                    new StorageLimits(1_000, 0, 0),
                    LONG,
                    LONG,
                    LONG,
                    Optional.empty(),
                    OptionValues.DEFAULTS))
            .result();
    private final LockSession session = new SessionFactory(
                    storage, true, new ClientLimits(new Gate(Map.of(), System::nanoTime)), feed)
            .make(loop, Peer.UNKNOWN);
    private Outcome last = Outcome.Plain.TIMEOUT;
    private final Handler<Outcome> answer = outcome -> last = outcome;

    @Setup(Level.Trial)
    public void watch() {
        if (!watcher.equals("nobody")) {
            String prefix = watcher.equals("matching") ? "bench/" : "elsewhere/";
            EventQuery query = EventQuery.parse("prefix=" + prefix, null);
            EventStream stream = new EventStream(
                    loop, feed, query, text -> Promise.<Void>promise().future(), () -> true);
            feed.add(stream);
            stream.begin();
        }
    }

    @TearDown(Level.Trial)
    public void close() {
        storage.close().await();
        vertx.close().await();
    }

    @Benchmark
    public Outcome acquireAndRelease() {
        loop.beginWork();
        try {
            session.acquire(claim, 0, answer);
            Outcome.Granted granted = (Outcome.Granted) last;
            session.release(claim.key(), granted.grant().token(), answer);
            return last;
        } finally {
            loop.endWork();
        }
    }
}
