package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The ring of events, and the cursors of its readers. */
class EventFeedTest {
    private final Client client = new Client();
    private final EventFeed feed = client.feed;

    private static ClientEvent event(long fence) {
        return new ClientEvent(EventType.GRANTED, 0, null, Key.of("k"), Kind.LOCK, fence, 0, null);
    }

    private void publish(int from, int to) {
        for (int fence = from; fence <= to; fence++) {
            feed.publish(event(fence));
        }
    }

    private static List<Long> fences(EventFeed.Part part) {
        return part.events().stream().map(ClientEvent::fence).toList();
    }

    @Test
    void eachEventWakesTheReadersUntilTheyAreRemoved() {
        AtomicInteger woken = new AtomicInteger();
        Runnable reader = woken::incrementAndGet;
        feed.add(reader);
        publish(1, 2);
        Grant unused = client.hold("k");
        assertThat(woken).hasValue(3);
        feed.remove(reader);
        publish(3, 3);
        assertThat(woken).hasValue(3);
    }

    @Test
    void anEventOfASessionHasItsClientAndOneTimeOfDayForAllReaders() throws Exception {
        long before = System.currentTimeMillis();
        Grant grant = client.hold("k");
        long after = System.currentTimeMillis();
        // A later read must not change the time. The clocks are not read at one instant.
        Thread.sleep(50);
        ClientEvent first = feed.read(0, 10).events().getLast();
        assertThat(first.millis()).isBetween(before - 10_000, after + 20);
        assertThat(first.fence()).isEqualTo(grant.fence());
        assertThat(Objects.requireNonNull(first.client()).id()).isEqualTo(7);
        for (int i = 0; i < 20; i++) {
            Thread.sleep(0, 333_333);
            assertThat(feed.read(0, 10).events().getLast()).isEqualTo(first);
        }
    }

    @Test
    void noEventIsMissingOrTwiceWhileOtherThreadsPublish() throws Exception {
        Thread publisher = Thread.ofPlatform().start(() -> publish(1, EventFeed.SLOTS));
        List<Long> read = new ArrayList<>();
        long cursor = 0;
        while (read.size() < EventFeed.SLOTS) {
            EventFeed.Part part = feed.read(cursor, 7);
            cursor = part.next();
            read.addAll(fences(part));
        }
        publisher.join();
        assertThat(read)
                .isEqualTo(LongStream.rangeClosed(1, EventFeed.SLOTS).boxed().toList());
    }

    @Test
    void keepingAnEventOfASessionAllocatesNothing() {
        Grant grant = client.hold("k");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                feed.grantedAtOnce(client.session, grant);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(1000);
    }
}
