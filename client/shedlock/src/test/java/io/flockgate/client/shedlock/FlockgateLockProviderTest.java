package io.flockgate.client.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.flockgate.client.LeaseConfigException;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks for scheduled tasks, on a back end in memory with a manual clock. */
@Timeout(60)
final class FlockgateLockProviderTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final ManualBackend server = new ManualBackend(new MemoryBackend(clock.environment()));
    private final FlockgateLockProvider provider = new FlockgateLockProvider(server);
    private final FlockgateLockProvider otherMachine = new FlockgateLockProvider(server);
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
    private final FlockgateLockProvider observed = new FlockgateLockProvider(
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

    private static LockConfiguration config(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
    }

    private static LockConfiguration config() {
        return config("report", MINUTE, Duration.ZERO);
    }

    private SimpleLock locked(Duration atMost, Duration atLeast) {
        return provider.lock(config("report", atMost, atLeast)).orElseThrow();
    }

    private boolean isFree() {
        Optional<SimpleLock> lock = otherMachine.lock(config());
        lock.ifPresent(SimpleLock::unlock);
        return lock.isPresent();
    }

    @Test
    void aLockIsHeldUntilItsUnlockAndThenFreeAtOnce() {
        for (int turn = 0; turn < 10; turn++) {
            SimpleLock lock = provider.lock(config()).orElseThrow();
            assertThat(provider.lock(config())).as("on the same machine").isEmpty();
            assertThat(otherMachine.lock(config())).isEmpty();
            provider.lock(config("cleanup", MINUTE, Duration.ZERO))
                    .orElseThrow()
                    .unlock();
            lock.unlock();
        }
    }

    @Test
    void aLockEndsAfterItsLongestTimeAndIsNotRenewed() {
        locked(MINUTE, Duration.ZERO);
        clock.advance(Duration.ofSeconds(59));
        assertThat(isFree()).isFalse();

        clock.advance(Duration.ofSeconds(1));

        assertThat(isFree()).isTrue();
        assertThat(server.renewals()).isZero();
    }

    @Test
    void anEarlyUnlockKeepsTheLockForItsShortestTime() {
        locked(MINUTE, Duration.ofSeconds(20)).unlock();

        clock.advance(Duration.ofSeconds(19));
        assertThat(isFree()).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(isFree()).isTrue();
    }

    @Test
    void anUnlockAfterTheShortestTimeFreesAtOnce() {
        LockConfiguration begunEarlier =
                new LockConfiguration(ClockProvider.now().minusSeconds(30), "report", MINUTE, Duration.ofSeconds(20));
        provider.lock(begunEarlier).orElseThrow().unlock();

        assertThat(isFree()).isTrue();
    }

    @Test
    void aLongestTimeThatIsOverAlreadyGivesNoLock() {
        LockConfiguration old =
                new LockConfiguration(ClockProvider.now().minus(MINUTE), "report", MINUTE, Duration.ZERO);

        assertThat(provider.lock(old)).isEmpty();
        assertThat(isFree()).isTrue();
    }

    @Test
    void eachExtensionStartsTheTimeAnew() {
        SimpleLock lock = locked(MINUTE, Duration.ZERO);
        for (int turn = 0; turn < 5; turn++) {
            clock.advance(Duration.ofSeconds(50));
            lock = lock.extend(MINUTE, Duration.ZERO).orElseThrow();
        }
        clock.advance(Duration.ofSeconds(50));
        assertThat(isFree()).isFalse();
        lock.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void anExtensionCanShortenTheLongestTime() {
        locked(MINUTE, Duration.ZERO).extend(Duration.ofSeconds(10), Duration.ZERO);
        clock.advance(Duration.ofSeconds(10));

        assertThat(isFree()).isTrue();
    }

    @Test
    void anExtensionHasAShortestTimeOfItsOwn() {
        SimpleLock extended = locked(MINUTE, Duration.ZERO)
                .extend(MINUTE, Duration.ofSeconds(20))
                .orElseThrow();
        extended.unlock();
        assertThat(isFree()).isFalse();

        clock.advance(Duration.ofSeconds(20));

        assertThat(isFree()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anExpiredLockIsNotExtendedAndItsUnlockLeavesTheNextHolderAlone(boolean extend) {
        SimpleLock lock = locked(MINUTE, Duration.ZERO);
        clock.advance(MINUTE);
        assertThat(otherMachine.lock(config())).isPresent();

        if (extend) {
            assertThat(lock.extend(MINUTE, Duration.ZERO)).isEmpty();
        } else {
            lock.unlock();
        }

        assertThat(provider.lock(config())).isEmpty();
    }

    @Test
    void anEarlyUnlockOfAnExpiredLockDoesNotReviveIt() {
        SimpleLock lock = locked(MINUTE, MINUTE);
        clock.advance(MINUTE);

        lock.unlock();

        assertThat(isFree()).isTrue();
    }

    @Test
    void aNameThatIsTooLongOrHasBlanksIsRefused() {
        assertThatThrownBy(() -> provider.lock(config("x".repeat(201), MINUTE, Duration.ZERO)))
                .isInstanceOf(LeaseConfigException.class);
        assertThatThrownBy(() -> provider.lock(config("two words", MINUTE, Duration.ZERO)))
                .isInstanceOf(LeaseConfigException.class);
    }

    @Test
    void aTimeOfSeveralDaysIsTheServersToJudge() {
        assertThat(provider.lock(config("report", Duration.ofDays(7), Duration.ZERO)))
                .isPresent();
    }

    @Test
    void aServerThatIsAwayIsAFailureAndNotContention() {
        SimpleLock lock = locked(MINUTE, Duration.ZERO);
        server.cut();

        assertThatThrownBy(() -> provider.lock(config())).isInstanceOf(LockException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockException.class);
    }

    @Test
    void anUnlockIsSentAgainIfItsResultIsUnknown() {
        SimpleLock lock = locked(MINUTE, Duration.ZERO);
        server.failNext(1);

        lock.unlock();

        assertThat(isFree()).isTrue();
    }

    @Test
    void aGrantThatComesAfterTheTimeoutIsGivenBack() {
        FlockgateLockProvider impatient = new FlockgateLockProvider(server, Duration.ofMillis(1));
        server.holdCalls();
        assertThatThrownBy(() -> impatient.lock(config())).isInstanceOf(LockException.class);

        server.sendHeldCalls();

        assertThat(isFree()).isTrue();
    }

    @Test
    void timesAreRoundedUpToSeconds() {
        server.countWholeSeconds();

        assertThat(provider.lock(config("report", Duration.ofMillis(10_500), Duration.ZERO)))
                .isPresent();

        assertThat(server.ttls()).containsExactly(Duration.ofSeconds(11));
    }

    @Test
    void anInterruptDoesNotHinderAnUnlock() {
        SimpleLock lock = locked(MINUTE, Duration.ZERO);
        Thread.currentThread().interrupt();

        lock.unlock();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(isFree()).isTrue();
    }

    @Test
    void aFailedExtensionIsTriedAgainWhileTheLockLasts() {
        SimpleLock lock = observed.lock(config()).orElseThrow();
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
        SimpleLock lock = observed.lock(config()).orElseThrow();
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
                CompletableFuture.supplyAsync(() -> observed.lock(config()).isPresent());
        Polling.until("the timer", () -> clock.pendingTimers() == 1);

        clock.advance(Duration.ofSeconds(5));

        assertThat(catchThrowable(lock::join)).hasMessageContaining("in time");
        assertThat(clock.pendingTimers()).isZero();
    }

    @Test
    void anInterruptEndsTheAttemptsToExtend() {
        SimpleLock lock = observed.lock(config()).orElseThrow();
        server.cut();
        Thread.currentThread().interrupt();

        assertThat(catchThrowable(() -> lock.extend(MINUTE, Duration.ZERO))).hasMessageContaining("unknown");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anObserverSeesLocksAsLeases() {
        SimpleLock lock = observed.lock(config()).orElseThrow();
        assertThat(observed.lock(config())).isEmpty();
        lock.extend(MINUTE, Duration.ZERO).orElseThrow().unlock();

        assertThat(seen)
                .containsExactly(
                        "began report", "acquired GRANTED", "acquired EMPTY", "renewed RENEWED", "ended report");
    }

    @Test
    void closingWaitsForTasksThatAreAboutToEnd() throws Exception {
        SimpleLock lock = observed.lock(config()).orElseThrow();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(observed::close);
        Polling.until(
                "the provider is closing",
                () -> otherMachine.lock(config()).isEmpty()
                        && observed.lock(config("other", MINUTE, Duration.ZERO)).isEmpty());
        assertThat(closed).isNotDone();

        lock.unlock();

        closed.get(30, TimeUnit.SECONDS);
        assertThat(isFree()).isTrue();
    }

    @Test
    void theShutdownIsOverWhenEachLockIsUnlockedOrItsTimeHasPassed() {
        SimpleLock lock = observed.lock(config()).orElseThrow();
        SimpleLock other = observed.lock(config("other", MINUTE, Duration.ZERO)).orElseThrow();
        CompletableFuture<Void> over = observed.shutdown().toCompletableFuture();
        assertThat(lock.extend(MINUTE.multipliedBy(2), Duration.ZERO)).isPresent();
        clock.advance(MINUTE);
        assertThat(over).isNotDone();

        clock.advance(MINUTE);
        assertThat(over).isDone();
        assertThat(clock.pendingTimers()).isZero();
        other.unlock();
    }
}
