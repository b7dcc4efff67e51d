package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class EventBatchTest {
    private final EventBatch batch = new EventBatch();
    private final Listener first = new Listener();
    private final Listener second = new Listener();

    private static final class Listener implements EventListener {
        private final List<Long> fences = new ArrayList<>();
        private int batches;
        private int wakes;
        private boolean ready = true;

        @Override
        public boolean wake() {
            wakes++;
            return ready;
        }

        @Override
        public void accept(List<ClientEvent> events) {
            batches++;
            events.forEach(event -> fences.add(event.fence()));
        }
    }

    private void add(long fence, Listener... listeners) {
        batch.add(new ClientEvent(EventType.GRANTED, 0, null, Key.of("k"), Kind.LOCK, fence, null), List.of(listeners));
    }

    @Test
    void oneListenerIsWokenForABatch() {
        add(1, first, second);
        add(2, first, second);
        assertThat(first.fences).isEmpty();
        assertThat(first.wakes + second.wakes).isEqualTo(1);
        batch.deliver();
        assertThat(first.fences).containsExactly(1L, 2L);
        assertThat(second.fences).containsExactly(1L, 2L);
        assertThat(first.batches).isEqualTo(1);
        add(3, first, second);
        assertThat(first.wakes).isEqualTo(2);
    }

    @Test
    void listenersThatAreNotReadyAreAskedUntilOneIs() {
        first.ready = false;
        second.ready = false;
        add(1, first, second);
        second.ready = true;
        add(2, first, second);
        add(3, first, second);
        assertThat(first.wakes).isEqualTo(2);
        assertThat(second.wakes).isEqualTo(2);
    }

    @Test
    void aFullBatchIsDeliveredByItsThread() {
        for (long fence = 1; fence <= EventBatch.MAX + 1; fence++) {
            add(fence, first);
        }
        assertThat(first.fences)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, EventBatch.MAX).boxed().toList());
        batch.deliver();
        assertThat(first.fences).hasSize(EventBatch.MAX + 1);
    }

    @Test
    void aListenerReceivesOnlyEventsThatAreForIt() {
        add(1, first);
        add(2, first, second);
        add(3, second);
        add(4, first);
        batch.deliver();
        assertThat(first.fences).containsExactly(1L, 2L, 4L);
        assertThat(second.fences).containsExactly(2L, 3L);
    }

    @Test
    void eventsOfOneThreadKeepTheirOrderWhoeverDeliversThem() throws Exception {
        Thread other = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                batch.deliver();
            }
        });
        for (long fence = 1; fence <= 100_000; fence++) {
            add(fence, first);
        }
        other.interrupt();
        other.join();
        batch.deliver();
        assertThat(first.fences).hasSize(100_000).isSorted();
    }
}
