package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;

/** A log whose stream is not read before the test lets it. */
@ResourceLock("log of Audit")
class StderrAppenderTest {
    private static final int MANY = 10_000;

    private final Semaphore read = new Semaphore(0);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LoggerContext context = new LoggerContext();
    private final Logger log = context.getLogger("io.flockgate.Test");

    private final class UnreadStream extends OutputStream {
        @Override
        public void write(int b) {
            read.acquireUninterruptibly();
            read.release();
            written.write(b);
        }
    }

    private StderrAppender started(OutputStream to, Runnable outOfMemory) {
        PrintStream stream = new PrintStream(to, true, StandardCharsets.UTF_8);
        TextEncoder encoder = new TextEncoder(ZoneOffset.UTC, false);
        StderrAppender appender = new StderrAppender(context, encoder, stream, outOfMemory);
        context.setMDCAdapter(new LogbackMDCAdapter());
        appender.setMaxFlushTime(60_000);
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        return appender;
    }

    private void crowd() {
        for (int i = 0; i < MANY; i++) {
            log.info("ordinary");
        }
    }

    private List<String> lines(String message) {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("msg=" + message))
                .toList();
    }

    @Test
    void eachOrderThatHasAPlaceIsALineAndOrdinaryLinesWithoutRoomAreCounted() throws Exception {
        // Other tests' lines may still be written.
        assertThat(StderrAppender.PLACES.tryAcquire(StderrAppender.MAX_ORDERS, 30, TimeUnit.SECONDS))
                .isTrue();
        StderrAppender appender = started(new UnreadStream(), () -> {});
        crowd();
        for (int i = 0; i < StderrAppender.MAX_ORDERS; i++) {
            context.getLogger(StderrAppender.ORDERS).info("order");
        }
        crowd();
        read.release();
        appender.stop();
        assertThat(lines("order")).hasSize(StderrAppender.MAX_ORDERS);
        assertThat(StderrAppender.PLACES.availablePermits()).isEqualTo(StderrAppender.MAX_ORDERS);
        int kept = lines("ordinary").size();
        assertThat(kept).isBetween(2_048, MANY);
        List<String> counted = lines("\"log lines were dropped");
        assertThat(counted).allMatch(line -> line.contains(" level=WARN "));
        assertThat(counted.stream().mapToInt(StderrAppenderTest::count).sum()).isEqualTo(2 * MANY - kept);
    }

    @Test
    void librariesWriteFewLinesAndOursAreAllWritten() {
        StderrAppender appender = started(written, () -> {});
        Logger library = context.getLogger("io.netty.Test");
        for (int i = 0; i < 500; i++) {
            library.warn("library");
            log.warn("ours");
        }
        appender.stop();
        assertThat(lines("ours")).hasSize(500);
        assertThat(lines("library")).hasSizeBetween(1, 100);
    }

    @Test
    void anOutOfMemoryErrorIsNoticedAmongTheCausesToo() {
        AtomicInteger noticed = new AtomicInteger();
        StderrAppender appender = started(written, noticed::incrementAndGet);
        OutOfMemoryError full = new OutOfMemoryError("of a test");
        log.error("itself", full);
        log.error("a cause", new IllegalStateException(new IllegalArgumentException(full)));
        log.error("another failure", new IllegalStateException(new IllegalArgumentException("of a test")));
        appender.stop();
        assertThat(noticed).hasValue(2);
    }

    private static int count(String line) {
        return Integer.parseInt(line.replaceAll(".*: standard error is not being read\" count=", ""));
    }
}
