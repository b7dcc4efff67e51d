package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the feed keeps for listeners that join later. */
class EventFeedTest {
    private final EventFeed feed = EventFeed.keeping();

    private static ClientEvent event(long fence) {
        return new ClientEvent(EventType.GRANTED, 0, null, Key.of("k"), Kind.LOCK, fence, null);
    }

    private List<Long> kept() {
        return feed.addAfter(new HeardEvents(feed)).stream()
                .map(ClientEvent::fence)
                .toList();
    }

    @Test
    void theNewestTwoHundredAreKept() {
        for (int fence = 1; fence <= 1050; fence++) {
            feed.publish(event(fence));
        }
        assertThat(kept()).hasSize(EventFeed.KEPT).first().isEqualTo(851L);
        assertThat(kept().getLast()).isEqualTo(1050L);
    }

    @Test
    void theOrderIsThatOfTimeWhateverTheThread() throws Exception {
        for (int fence = 1; fence <= 20; fence++) {
            ClientEvent next = event(fence);
            Thread thread = Thread.ofPlatform().start(() -> feed.publish(next));
            thread.join();
        }
        assertThat(kept()).isSorted().hasSize(20);
    }

    @Test
    void anEventOfASessionIsKeptWithItsClientAndTheTimeOfDay() {
        Client client = new Client(feed);
        Grant grant = client.hold("k");
        ClientEvent last = feed.addAfter(new HeardEvents(feed)).getLast();
        assertThat(last.fence()).isEqualTo(grant.fence());
        assertThat(Objects.requireNonNull(last.client()).id()).isEqualTo(7);
        assertThat(last.millis()).isCloseTo(System.currentTimeMillis(), within(60_000L));
    }

    /** The page recognises an event by its time. */
    @Test
    void aKeptEventHasOneTimeForAllReaders() throws Exception {
        Client client = new Client(feed);
        var unused = client.hold("before");
        HeardEvents heard = new HeardEvents(feed);
        List<ClientEvent> first = feed.addAfter(heard);
        var unusedToo = client.hold("after");
        List<ClientEvent> live = heard.take();
        for (int i = 0; i < 20; i++) {
            Thread.sleep(0, 333_333);
            List<ClientEvent> again = feed.addAfter(new HeardEvents(feed));
            assertThat(again).startsWith(first.toArray(ClientEvent[]::new));
            assertThat(again).endsWith(live.toArray(ClientEvent[]::new));
        }
    }

    @Test
    void noEventIsMissingOrTwiceBetweenBeforeAndAfter() throws Exception {
        for (int round = 0; round < 50; round++) {
            EventFeed busy = EventFeed.keeping();
            CountDownLatch begun = new CountDownLatch(1);
            Thread thread = Thread.ofPlatform().start(() -> {
                for (int fence = 1; fence <= EventFeed.KEPT; fence++) {
                    busy.publish(event(fence));
                    begun.countDown();
                }
            });
            begun.await();
            HeardEvents after = new HeardEvents(busy);
            List<ClientEvent> before = busy.addAfter(after);
            thread.join();
            List<Long> all = Stream.concat(before.stream(), after.take().stream())
                    .map(ClientEvent::fence)
                    .toList();
            assertThat(all).hasSize(EventFeed.KEPT);
            assertThat(new HashSet<>(all)).hasSize(EventFeed.KEPT);
        }
    }

    @Test
    void keepingAnEventOfASessionAllocatesNothing() {
        Client client = new Client(feed);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Key key = Key.of("k");
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                feed.publish(EventType.GRANTED, client.session, key, Kind.LOCK, i, null);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(1000);
    }
}
