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
    private final String token;

    GrantedLock(GrantCalls calls, LockConfiguration configuration, String token) {
        super(configuration);
        this.calls = calls;
        this.token = token;
    }

    @Override
    protected void doUnlock() {
        Duration rest = Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil());
        if (rest.isNegative() || rest.isZero()) {
            calls.release(lockConfiguration.getName(), token);
        } else {
            calls.renew(lockConfiguration.getName(), token, rest);
        }
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extension) {
        boolean held = calls.renew(extension.getName(), token, extension.getLockAtMostFor());
        return held ? Optional.of(new GrantedLock(calls, extension, token)) : Optional.empty();
    }
}
