package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Forgets idle keys in sweeps. It decides from the read of all keys that the watch makes in any
 * case, so keys that are held or waited for cost no request. Thread safe.
 *
 * <ol>
 *   <li>If a key is in use by other members, the actor of this gateway retires. Nothing is read.
 *   <li>The other keys that have been idle for long enough are candidates. A key that no actor of
 *       this gateway has used lately is a candidate ten seconds later, because the gateway that
 *       used it has the first turn.
 *   <li>A few threads work through the candidates. Each makes the actor of one key read and delete
 *       the key.
 *   <li>If Consul fails, the sweep ends. The next sweep begins no earlier than after the last
 *       candidate.
 * </ol>
 */
final class KeyCollector {
    /** The number of keys that are read and deleted concurrently. */
    static final int TOGETHER = 4;

    /**
     * The extra time after which another gateway forgets a key, if the gateway that used it has
     * died.
     */
    static final Duration OTHERS_DELAY = Duration.ofSeconds(10);

    private final Environment environment;
    private final KeyIndex keyIndex;
    private final Duration idle;
    private final Function<Key, KeyActor> actorOf;

    /** The candidates of the sweep in progress. */
    @GuardedBy("this")
    private final Queue<Key> candidates = new ArrayDeque<>();

    @GuardedBy("this")
    private int workers;

    /**
     * @param idle the time after which an unused key is forgotten
     * @param actorOf finds or creates the actor of a key
     */
    KeyCollector(Environment environment, KeyIndex keyIndex, Duration idle, Function<Key, KeyActor> actorOf) {
        this.environment = environment;
        this.keyIndex = keyIndex;
        this.idle = idle;
        this.actorOf = actorOf;
    }

    /**
     * Begins a sweep, unless one is in progress. Does not block.
     *
     * @param actors the actors of this gateway
     */
    void collect(Collection<KeyActor> actors) {
        Set<Key> found = new LinkedHashSet<>();
        long now = environment.now();
        for (KeyActor actor : actors) {
            if (!actor.isBusy() && now - actor.lastActivity() > idle.toNanos()) {
                switch (keyIndex.use(actor.key(), actor.lastActivity())) {
                    case BY_OTHERS -> actor.retireIfIdle();
                    case NONE -> {
                        if (now - keyIndex.lastUse(actor.key(), actor.lastActivity()) > idle.toNanos()) {
                            found.add(actor.key());
                        }
                    }
                    case UNKNOWN -> {}
                }
            }
        }
        found.addAll(keyIndex.unusedFor(idle.plus(OTHERS_DELAY).toNanos()));
        begin(found);
    }

    private synchronized void begin(Set<Key> found) {
        if (workers > 0) {
            return;
        }
        candidates.addAll(found);
        for (int i = 0; i < Math.min(TOGETHER, found.size()); i++) {
            workers++;
            environment.start("consul-collect", this::work);
        }
    }

    private void work() {
        try {
            for (Key key = next(); key != null; key = next()) {
                if (!forget(key)) {
                    stop();
                }
            }
        } finally {
            ended();
        }
    }

    private synchronized @Nullable Key next() {
        return candidates.poll();
    }

    /**
     * Blocks until the actor of the key has done its work. Returns false when Consul has failed.
     */
    private boolean forget(Key key) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        actorOf.apply(key).forgetIfIdle(done::complete);
        return done.join();
    }

    private synchronized void ended() {
        workers--;
    }

    /** Ends the sweep. */
    synchronized void stop() {
        candidates.clear();
    }
}
