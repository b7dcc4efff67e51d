package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.testsupport.LogLines;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("log of Audit")
class AuditTest {
    /** That many failed orders of a client have their own lines in a second. */
    private static final int MAX_FAILED = 20;

    private static final Actor CI = new Actor("ci", "192.0.2.7:51044");
    private static final Actor OPS = new Actor("ops", "192.0.2.8:1");
    private static final String FORBIDDEN = "INFO audit token=ci peer=192.0.2.7:51044 action=l object=";

    private final LogLines lines = new LogLines(Audit.class);
    private final Queue<Runnable> timers = new ArrayDeque<>();
    private final Audit audit = new Audit(timers::add);

    @AfterEach
    void detach() {
        lines.close();
    }

    private Audit.Order order(Actor actor, String action) {
        return Objects.requireNonNull(audit.begin(actor, action));
    }

    private void fail(Actor actor) {
        order(actor, "evictHolder").unchanged(UnaryOperator.identity(), "not_held");
    }

    @Test
    void eachFailedOrderIsALineUpToABoundOfItsClient() {
        Actor one = new Actor("", "192.0.2.1:1", "192.0.2.1");
        for (int i = 0; i < 3 * MAX_FAILED; i++) {
            fail(one);
        }
        fail(new Actor("", "192.0.2.2:1", "192.0.2.2"));
        String line = "INFO audit peer=192.0.2.1:1 action=evictHolder result=not_held";
        assertThat(lines.all().subList(0, MAX_FAILED)).isEqualTo(Collections.nCopies(MAX_FAILED, line));
        assertThat(lines.all())
                .hasSize(MAX_FAILED + 1)
                .last()
                .isEqualTo("INFO audit peer=192.0.2.2:1 action=evictHolder result=not_held");
        timers.remove().run();
        assertThat(lines.all()).hasSize(MAX_FAILED + 2).last().isEqualTo(line + " count=" + 2 * MAX_FAILED);
    }

    private static void awaitPlaces(int places) throws InterruptedException {
        assertThat(StderrAppender.PLACES.tryAcquire(places, 30, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void anOrderWithoutRoomForItsLineIsNotBegun() throws InterruptedException {
        awaitPlaces(StderrAppender.MAX_ORDERS);
        assertThat(audit.begin(OPS, "drain")).isNull();
        StderrAppender.PLACES.release();
        Audit.Order order = order(OPS, "drain");
        assertThat(audit.begin(CI, "drain")).isNull();
        order.changed(UnaryOperator.identity());
        // The log writes the line on its own thread.
        awaitPlaces(1);
        StderrAppender.PLACES.release(StderrAppender.MAX_ORDERS);
    }

    @Test
    void ordersThatShareALineReleaseTheirPlaces() throws InterruptedException {
        for (int i = 0; i < 2 * StderrAppender.MAX_ORDERS; i++) {
            fail(OPS);
        }
        awaitPlaces(StderrAppender.MAX_ORDERS);
        StderrAppender.PLACES.release(StderrAppender.MAX_ORDERS);
    }

    @Test
    void refusalsOfATokenShareOneLineASecondAndHideNoFailedOrder() {
        for (int i = 0; i < 1000; i++) {
            audit.refused(CI, "l", "prod/" + i);
        }
        fail(CI);
        audit.refused(OPS, "getMetrics", "");
        assertThat(lines.all())
                .containsExactly(
                        FORBIDDEN + "prod/0 result=forbidden",
                        "INFO audit token=ci peer=192.0.2.7:51044 action=evictHolder result=not_held",
                        "INFO audit token=ops peer=192.0.2.8:1 action=getMetrics result=forbidden");
        audit.flush();
        audit.flush();
        assertThat(lines.all()).hasSize(4).last().isEqualTo(FORBIDDEN + "prod/999 result=forbidden count=999");
    }

    @Test
    void namesThatAreNoTextStandBesideTheirBytes() {
        byte[] name = {'a', (byte) 0xff};
        order(OPS, "evictHolder").changed(line -> Audit.exact(line, "key", name));
        order(OPS, "evictHolder").changed(line -> Audit.exact(line, "key", new byte[] {'a'}));
        assertThat(lines.all())
                .containsExactly(
                        "INFO audit token=ops peer=192.0.2.8:1 action=evictHolder key=a\ufffd key_hex=61ff result=done",
                        "INFO audit token=ops peer=192.0.2.8:1 action=evictHolder key=a result=done");
    }
}
