package io.flockgate.gateway.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Resource;
import io.flockgate.gateway.log.LogWriter.Place;
import io.flockgate.testsupport.Polling;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LogWriterTest {
    private final Gate gate = new Gate(Map.of(), () -> 0);
    private final CountDownLatch read = new CountDownLatch(1);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LogWriter writer = new LogWriter(
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
            count -> line("dropped " + count));

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private void crowd() {
        for (int i = 0; i < 2_000; i++) {
            writer.add(line("x".repeat(1_000)));
        }
    }

    @Test
    void ordersHaveRoomWhenTheLogIsCrowded() {
        crowd();
        int orders = 0;
        for (String client : List.of("a", "b", "c")) {
            for (Place place = Place.take(gate, client); place != null; place = Place.take(gate, client)) {
                writer.add(place, line("order " + orders));
                place.giveBackUnlessQueued();
                orders++;
            }
        }
        assertThat(orders).isEqualTo(256);
        crowd();
        read.countDown();
        assertThat(writer.flush(60_000)).isTrue();
        assertThat(written.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("order ")))
                .hasSize(orders);
        assertThat(gate.count(Resource.ORDER)).isZero();
    }

    @Test
    void atTheEndOnlyOrdersAreWaitedFor() throws Exception {
        crowd();
        for (int i = 0; i < 100; i++) {
            writer.add(Objects.requireNonNull(Place.take(gate, "a")), line("order " + i));
        }
        assertThat(writer.flush(1)).isFalse();
        Thread waiting = Thread.currentThread();
        Thread reader = Thread.ofPlatform().start(() -> {
            Object unused = Polling.until(waiting::getState, Thread.State.TIMED_WAITING::equals);
            read.countDown();
        });
        writer.flushOrders(60_000);
        List<String> lines = written.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).filteredOn(line -> line.startsWith("order ")).hasSize(100);
        // At most the line that was being written, and those in buffers.
        assertThat(lines).filteredOn(line -> line.startsWith("x")).hasSizeLessThan(10);
        reader.join();
    }

    @Test
    void linesAreDroppedUnseenOnlyWhileOthersAreDropped() {
        assertThat(writer.dropUnseen()).isFalse();
        crowd();
        for (int i = 0; i < 500; i++) {
            assertThat(writer.dropUnseen()).isTrue();
        }
        read.countDown();
        assertThat(writer.flush(60_000)).isTrue();
        assertThat(writer.dropUnseen()).isFalse();
        List<String> lines = written.toString(StandardCharsets.UTF_8).lines().toList();
        long whole = lines.stream().filter(each -> each.startsWith("x")).count();
        assertThat(lines).endsWith("dropped " + (2_500 - whole));
    }
}
