package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.consul.environment.Batch;
import io.flockgate.storage.consul.environment.Environment;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

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

    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile boolean stopped;

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
        if (!found.isEmpty() && sweeping.compareAndSet(false, true)) {
            environment.start("consul-collect", () -> sweep(found));
        }
    }

    private void sweep(Set<Key> candidates) {
        AtomicBoolean failed = new AtomicBoolean();
        try {
            Batch.run(environment, "consul-collect", candidates, TOGETHER, key -> {
                if (!stopped && !failed.get() && !forget(key)) {
                    failed.set(true);
                }
            });
        } finally {
            sweeping.set(false);
        }
    }

    /**
     * Blocks until the actor of the key has done its work. Returns false when Consul has failed.
     */
    private boolean forget(Key key) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        actorOf.apply(key).forgetIfIdle(done::complete);
        return done.join();
    }

    /** Ends the sweep. */
    void stop() {
        stopped = true;
    }
}
