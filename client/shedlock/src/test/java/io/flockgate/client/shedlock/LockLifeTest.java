package io.flockgate.client.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LostEvent;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualBackend;
import io.flockgate.client.tck.ManualEnvironment;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.RecordedLog;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a lock is kept alive, lost and observed, and what the shutdown leaves of it. */
@Timeout(60)
final class LockLifeTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final ManualBackend server = new ManualBackend(new MemoryBackend(clock.environment()));
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final LeaseObserver observer = new LeaseObserver() {
        @Override
        public void acquired(String name, AcquireOutcome outcome, Duration time) {
            seen.add("acquired " + outcome);
        }

        @Override
        public void renewed(String name, RenewOutcome outcome, Duration time) {
            seen.add("renewed " + outcome);
        }

        @Override
        public void began(String name, LeaseGrant grant) {
            seen.add("began " + name);
        }

        @Override
        public void ended(String name, LeaseGrant grant) {
            seen.add("ended " + name);
        }

        @Override
        public void lost(LostEvent event) {
            seen.add("lost " + event.reason());
            throw new IllegalStateException("an observer that fails");
        }
    };
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final FlockgateLockProvider provider = new FlockgateLockProvider(
            server,
            Duration.ofSeconds(5),
            clock.environment().observer(observer).loggers(topic -> new RecordedLog(topic, logged)));

    @BeforeEach
    void useTheManualClock() {
        ClockProvider.setClock(clock.environment().wallClock().withZone(ZoneOffset.UTC));
    }

    @AfterEach
    void useTheSystemClock() {
        ClockProvider.setClock(Clock.systemUTC());
    }

    private static LockConfiguration config() {
        return new LockConfiguration(ClockProvider.now(), "report", MINUTE, Duration.ZERO);
    }

    private boolean isFree() {
        return new FlockgateLockProvider(server).lock(config()).isPresent();
    }

    @Test
    void aFailedExtensionIsTriedAgainWhileTheLockLasts() {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        clock.advance(Duration.ofSeconds(30));
        server.failNext(3);

        SimpleLock extended = lock.extend(MINUTE, Duration.ZERO).orElseThrow();

        clock.advance(Duration.ofSeconds(50));
        assertThat(isFree()).isFalse();
        extended.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLockThatCannotBeExtendedInItsLifeIsLostAndThatIsLogged() throws Exception {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        server.cut();
        CompletableFuture<Boolean> extended = CompletableFuture.supplyAsync(
                () -> lock.extend(MINUTE, Duration.ZERO).isPresent());
        Polling.until("the extension is tried again", () -> server.renewals() > 1);
        clock.advance(MINUTE);

        assertThat(extended.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(logged).anyMatch(line -> line.startsWith("losses: lease report lost: EXPIRED_LOCALLY"));
        assertThat(seen).endsWith("ended report", "lost EXPIRED_LOCALLY");
    }

    /** A timer of the JDK would keep the context of its first caller for ever. */
    @Test
    void aRequestWithoutAnAnswerEndsByATimerOfTheClient() {
        server.holdCalls();
        CompletableFuture<Boolean> lock =
                CompletableFuture.supplyAsync(() -> provider.lock(config()).isPresent());
        Polling.until("the timer", () -> clock.pendingTimers() == 1);

        clock.advance(Duration.ofSeconds(5));

        assertThat(catchThrowable(lock::join)).hasMessageContaining("in time");
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void anInterruptEndsTheAttemptsToExtend() {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        server.cut();
        Thread.currentThread().interrupt();

        assertThat(catchThrowable(() -> lock.extend(MINUTE, Duration.ZERO))).hasMessageContaining("unknown");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anObserverSeesLocksAsLeases() {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        assertThat(provider.lock(config())).isEmpty();
        lock.extend(MINUTE, Duration.ZERO).orElseThrow().unlock();

        assertThat(seen)
                .containsExactly(
                        "began report", "acquired GRANTED", "acquired EMPTY", "renewed RENEWED", "ended report");
    }

    @Test
    void closingWaitsForTasksThatAreAboutToEnd() throws Exception {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(provider::close);
        Polling.until(
                "the provider is closing",
                () -> new FlockgateLockProvider(server).lock(config()).isEmpty()
                        && provider.lock(new LockConfiguration(ClockProvider.now(), "other", MINUTE, Duration.ZERO))
                                .isEmpty());
        assertThat(closed).isNotDone();

        lock.unlock();

        closed.get(30, TimeUnit.SECONDS);
        assertThat(isFree()).isTrue();
    }

    @Test
    void theShutdownIsOverWhenEachLockIsUnlockedOrItsTimeHasPassed() {
        SimpleLock lock = provider.lock(config()).orElseThrow();
        SimpleLock other = provider.lock(new LockConfiguration(ClockProvider.now(), "other", MINUTE, Duration.ZERO))
                .orElseThrow();
        CompletableFuture<Void> over = provider.shutdown().toCompletableFuture();
        assertThat(lock.extend(MINUTE.multipliedBy(2), Duration.ZERO)).isPresent();
        clock.advance(MINUTE);
        assertThat(over).isNotDone();

        clock.advance(MINUTE);
        assertThat(over).isDone();
        assertThat(clock.pendingTimers()).isZero();
        other.unlock();
    }
}
