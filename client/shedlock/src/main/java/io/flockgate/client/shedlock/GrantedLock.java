package io.flockgate.client.shedlock;

import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** One grant, until it is unlocked or extended. The base class rejects a second use. */
final class GrantedLock extends AbstractSimpleLock {
    private final GrantCalls calls;
    private final HeldLock lock;

    GrantedLock(GrantCalls calls, LockConfiguration configuration, HeldLock lock) {
        super(configuration);
        this.calls = calls;
        this.lock = lock;
    }

    @Override
    protected void doUnlock() {
        calls.unlock(lock, Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil()));
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extension) {
        boolean held = calls.extend(lock, extension.getLockAtMostFor());
        return held ? Optional.of(new GrantedLock(calls, extension, lock)) : Optional.empty();
    }
}
