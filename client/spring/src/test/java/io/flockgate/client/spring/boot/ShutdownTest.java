package io.flockgate.client.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.LeaderElection;
import io.flockgate.client.LeaderListener;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Tasks that outlast the shutdown phase of the application end by an interrupt, and release what
 * they hold. The scheduler is created first, and so destroyed last.
 */
@Timeout(60)
final class ShutdownTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final CountDownLatch running = new CountDownLatch(4);
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(FlockgateAutoConfiguration.class))
            .withPropertyValues("flockgate.servers=test://server")
            .withBean("scheduler", ThreadPoolTaskScheduler.class, ShutdownTest::scheduler)
            .withBean("lifecycleProcessor", DefaultLifecycleProcessor.class, ShutdownTest::impatient);

    private static ThreadPoolTaskScheduler scheduler() {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setPoolSize(3);
        return scheduler;
    }

    private static DefaultLifecycleProcessor impatient() {
        DefaultLifecycleProcessor phases = new DefaultLifecycleProcessor();
        phases.setTimeoutPerShutdownPhase(200);
        return phases;
    }

    private void untilInterrupted() {
        running.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Work {
        void run() throws Throwable;
    }

    private static Runnable unchecked(Work work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable failed) {
                throw new IllegalStateException(failed);
            }
        };
    }

    @Test
    void whatInterruptedTasksHoldIsReleased() {
        application.run(context -> {
            ThreadPoolTaskScheduler scheduler = context.getBean(ThreadPoolTaskScheduler.class);
            DefaultLockingTaskExecutor shedLock = new DefaultLockingTaskExecutor(context.getBean(LockProvider.class));
            LeaseProvider leases = context.getBean(LeaseProvider.class);
            Lock lock = context.getBean(LockRegistry.class).obtain("shutdown-registry");
            scheduler.execute(unchecked(() -> shedLock.executeWithLock(
                    (Task) this::untilInterrupted,
                    new LockConfiguration(Instant.now(), "shutdown-shedlock", LONG, Duration.ZERO))));
            scheduler.execute(unchecked(() -> {
                lock.lock();
                try {
                    untilInterrupted();
                } finally {
                    lock.unlock();
                }
            }));
            scheduler.execute(unchecked(() -> leases.runExclusiveWithoutResult(
                    LeaseOptions.of("shutdown-lease"), Duration.ZERO, grant -> untilInterrupted())));
            LeaderElection unclosed = elect(leases);
            assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();

            context.getSourceApplicationContext().close();

            assertThat(unclosed.isLeader()).isFalse();
            assertThat(isFree("shutdown-shedlock")).isTrue();
            assertThat(isFree("shutdown-registry")).isTrue();
            assertThat(isFree("shutdown-lease")).isTrue();
            assertThat(isFree("shutdown-leader")).isTrue();
        });
    }

    private static void untilCounted(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException closing) {
                // The task ends later.
            }
        }
    }

    @Test
    void aTaskThatOutlastsTheShutdownUnlocksWhenItEnds() {
        CountDownLatch end = new CountDownLatch(1);
        application.run(context -> {
            ThreadPoolTaskScheduler scheduler = context.getBean(ThreadPoolTaskScheduler.class);
            DefaultLockingTaskExecutor shedLock = new DefaultLockingTaskExecutor(context.getBean(LockProvider.class));
            scheduler.execute(unchecked(() -> shedLock.executeWithLock(
                    (Task) () -> {
                        running.countDown();
                        untilCounted(end);
                    },
                    new LockConfiguration(Instant.now(), "shutdown-late", LONG, Duration.ZERO))));
            Polling.until("the task runs", () -> running.getCount() < 4);

            // Waits for the task for five seconds.
            context.getSourceApplicationContext().close();

            assertThat(isFree("shutdown-late")).isFalse();
            end.countDown();
            assertThat(Polling.until(() -> isFree("shutdown-late"), free -> free))
                    .isTrue();
        });
    }

    private LeaderElection elect(LeaseProvider leases) {
        LeaderListener listener = grant -> untilInterrupted();
        return LeaderElection.start(leases, "shutdown-leader", listener);
    }

    private static boolean isFree(String name) throws Exception {
        Duration second = Duration.ofSeconds(1);
        return TestServer.MEMORY
                        .acquire(new AcquireRequest(name, 1, "me", LONG, Duration.ZERO, second))
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS)
                instanceof Granted;
    }
}
