package io.flockgate.storage.memory;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.storage.memory.journal.FenceCounter;
import io.flockgate.storage.rules.KeyState;
import io.flockgate.storage.tck.Limits;
import io.flockgate.storage.tck.SimulatedHarness;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.ToIntFunction;

/**
 * Memory storages on a clock that jumps, whose thread is not started: due work is done when time
 * passes. The clock begins shortly before it wraps.
 */
class MemoryHarness extends SimulatedHarness<MemoryStorage> {
    private static final Vertx VERTX = Vertx.vertx();

    MemoryHarness() {
        super(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos(), MemoryStorage::runDue);
    }

    @Override
    public LockStorage open(Limits limits) {
        StorageSettings settings = settings(limits);
        // Fences are unsigned, so these begin just below the sign bit.
        return opened(new MemoryStorage(settings, FenceCounter.inMemory(Long.MAX_VALUE - 3)));
    }

    final StorageSettings settings(Limits limits) {
        return new StorageSettings(
                VERTX,
                this::nanoTime,
                new GatewayView("flockgate", "1.2.3", 0, ""),
                limits.caps(),
                new Upkeep(Duration.ofSeconds(1), Duration.ofMillis(100), limits.gcMaxIdle()),
                OptionValues.DEFAULTS);
    }

    @Override
    public Duration longTime() {
        return Duration.ofDays(280 * 365);
    }

    @Override
    public long holdersBeside(LockStorage storage, Key key) {
        return count(storage, key, KeyState::holderCount);
    }

    @Override
    public long waitersBeside(LockStorage storage, Key key) {
        return count(storage, key, KeyState::waiterCount);
    }

    /** Counts in every shard, so that a key in the wrong shard is noticed. */
    private static long count(LockStorage storage, Key key, ToIntFunction<KeyState> count) {
        long found = 0;
        for (Shard shard : ((MemoryStorage) storage).shards) {
            Integer here = shard.view(key, (state, now) -> count.applyAsInt(state));
            found += here == null ? 0 : here;
        }
        return found;
    }
}
