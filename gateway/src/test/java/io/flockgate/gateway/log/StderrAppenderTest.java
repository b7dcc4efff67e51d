package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.flockgate.testsupport.Polling;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;

/** A log whose stream is not read before a test opens it. */
@ResourceLock("log of Audit")
class StderrAppenderTest {
    private static final int MANY = 10_000;

    private final CountDownLatch read = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LoggerContext context = new LoggerContext();
    private final Logger log = context.getLogger("io.flockgate.Test");
    private final StderrAppender appender = new StderrAppender(
            context,
            new TextEncoder(ZoneOffset.UTC, false),
            new PrintStream(
                    new OutputStream() {
                        @Override
                        public void write(int b) {
                            try {
                                read.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            written.write(b);
                        }
                    },
                    true,
                    StandardCharsets.UTF_8),
            () -> {});

    @BeforeEach
    void start() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    }

    @AfterEach
    void stop() {
        read.countDown();
        context.stop();
    }

    private void crowd() {
        for (int i = 0; i < MANY; i++) {
            log.info("ordinary");
        }
    }

    private int orders(int max) {
        int orders = 0;
        while (orders < max && StderrAppender.PLACES.tryAcquire()) {
            log.atInfo().addMarker(StderrAppender.ORDER).log("order");
            orders++;
        }
        return orders;
    }

    private List<String> lines(String message) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("msg=" + message))
                .toList();
    }

    @Test
    void eachOrderThatHasAPlaceIsALineWhenTheLogIsCrowded() {
        crowd();
        int orders = orders(MANY);
        assertThat(orders).isEqualTo(StderrAppender.MAX_ORDERS);
        crowd();
        read.countDown();
        assertThat(appender.flush(60_000)).isTrue();
        assertThat(lines("order")).hasSize(orders);
        assertThat(orders(1)).isOne();
        assertThat(appender.flush(60_000)).isTrue();
    }

    @Test
    void atTheEndOnlyOrdersAreWaitedFor() throws Exception {
        crowd();
        assertThat(orders(100)).isEqualTo(100);
        assertThat(appender.flush(1)).isFalse();
        Thread waiting = Thread.currentThread();
        Thread reader = Thread.ofPlatform().start(() -> {
            Object unused = Polling.until(waiting::getState, Thread.State.TIMED_WAITING::equals);
            read.countDown();
        });
        appender.flushOrders(60_000);
        assertThat(lines("order")).hasSize(100);
        // The line that was being written.
        assertThat(lines("ordinary")).hasSizeLessThanOrEqualTo(1);
        reader.join();
    }

    @Test
    void linesWithoutRoomAreCounted() {
        crowd();
        read.countDown();
        assertThat(appender.flush(60_000)).isTrue();
        int kept = lines("ordinary").size();
        assertThat(kept).isLessThan(MANY);
        List<String> counted = lines("\"log lines were dropped");
        assertThat(counted).allMatch(line -> line.contains(" level=WARN "));
        // The thread may have begun before the last event came.
        assertThat(counted.stream().mapToInt(StderrAppenderTest::count).sum()).isEqualTo(MANY - kept);
    }

    private static int count(String line) {
        return Integer.parseInt(line.replaceAll(".*: standard error is not being read\" count=", ""));
    }
}
