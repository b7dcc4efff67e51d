package io.flockgate.storage.memory;

import io.flockgate.storage.rules.TokenGenerator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A token generator whose fences count up from a given one, with salts chosen by the test. */
final class CountingTokens implements TokenGenerator {
    private final AtomicLong last;
    private final LongSupplier salts;

    CountingTokens(long last, LongSupplier salts) {
        this.last = new AtomicLong(last);
        this.salts = salts;
    }

    @Override
    public long nextFence() {
        return last.incrementAndGet();
    }

    @Override
    public long nextSalt() {
        return salts.getAsLong();
    }
}
