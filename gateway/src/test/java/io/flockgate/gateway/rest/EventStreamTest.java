package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private static final ClientView CI = client(42, new ClientDescription(Via.CONNECTION, "ci-7", "192.0.2.7:51044"));
    private static final Duration MILLI = Duration.ofMillis(1);

    private final FakeEventLoop loop = new FakeEventLoop();
    private final StringBuilder written = new StringBuilder();
    private final Deque<Promise<Void>> writes = new ArrayDeque<>();

    private EventFeed feed = new EventFeed();

    private static ClientView client(long id, ClientDescription description) {
        return new ClientView(id, description, null, "");
    }

    private EventStream stream(@Nullable String query) {
        EventStream stream = new EventStream(loop, feed, EventQuery.parse(query, null), this::write, () -> true);
        feed.add(stream);
        stream.begin();
        return stream;
    }

    private Future<Void> write(Buffer text) {
        written.append(text.toString(StandardCharsets.UTF_8));
        Promise<Void> left = Promise.promise();
        writes.add(left);
        return left.future();
    }

    private void publish(ClientEvent... events) {
        List.of(events).forEach(feed::publish);
    }

    /** Returns what has been written, and lets it leave. */
    private String take() {
        while (!writes.isEmpty()) {
            writes.remove().complete();
            loop.pass(MILLI.multipliedBy(3));
        }
        String text = written.toString();
        written.setLength(0);
        return text;
    }

    private static ClientEvent granted(String key, long fence) {
        return new ClientEvent(EventType.GRANTED, 1_772_366_416_250L, CI, Key.of(key), Kind.LOCK, fence, 0, null);
    }

    private static ClientEvent began() {
        return new ClientEvent(
                EventType.SESSION_BEGAN, 0, client(43, ClientDescription.UNKNOWN), null, null, 0, 0, null);
    }

    @Test
    void anEventHasTheFieldsThatAreKnown() {
        EventStream unused = stream(null);
        assertThat(take()).isEqualTo(": flockgate\n\n");
        publish(granted("deploy", 0x18a6c3f2b91d4007L));
        loop.run();
        assertThat(take()).isEqualTo("""
                        event: granted
                        data: {"time":"2026-03-01T12:00:16.250Z","key":"deploy","kind":"lock","conn_id":42,"via":"connection","address":"192.0.2.7:51044","name":"ci-7","fence":"18a6c3f2b91d4007"}

                        """);
        publish(began());
        publish(new ClientEvent(
                EventType.REFUSED,
                0,
                client(42, ClientDescription.UNKNOWN),
                key(0xff),
                Kind.SEMAPHORE,
                0,
                0,
                "max_locks"));
        loop.run();
        assertThat(take()).isEqualTo("""
                        event: session_began
                        data: {"time":"1970-01-01T00:00:00Z","conn_id":43,"via":"other"}

                        event: refused
                        data: {"time":"1970-01-01T00:00:00Z","key":"\\ufffd","key_escaped":"%FF","kind":"semaphore","conn_id":42,"via":"other","reason":"max_locks"}

                        """);
    }

    private static Key key(int octet) {
        return Objects.requireNonNull(Key.copyOf(new byte[] {(byte) octet}, 0, 1));
    }

    @Test
    void aClientThatReadsNothingGetsTheNewestEventsAndTheNumberOfTheOthers() {
        EventStream unused = stream(null);
        for (int fence = 1; fence <= 10_000; fence++) {
            publish(granted("k", fence));
            loop.run();
        }
        assertThat(writes).as("writes under way").hasSize(1);
        assertThat(loop.posts()).as("tasks for the event loop").isZero();
        String text = take();
        assertThat(text).startsWith(": flockgate\n\nevent: missed\ndata: {\"missed\":8976}\n\nevent: granted\n");
        assertThat(text.split("event: granted", -1)).hasSize(1_024 + 1);
        assertThat(text).contains("\"fence\":\"0000000000002311\"").endsWith("\"fence\":\"0000000000002710\"}\n\n");
        publish(granted("k", 7));
        loop.run();
        assertThat(take()).startsWith("event: granted").contains("\"fence\":\"0000000000000007\"");
    }

    @Test
    void manyEventsWakeTheStreamOnceAndAreWrittenInParts() {
        EventStream unused = stream(null);
        assertThat(take()).isNotEmpty();
        int posts = loop.posts();
        for (int fence = 1; fence <= 600; fence++) {
            publish(granted("k", fence));
        }
        assertThat(loop.posts()).isEqualTo(posts + 1);
        loop.run();
        assertThat(written.toString().split("event: granted", -1)).hasSize(256 + 1);
        assertThat(take().split("event: granted", -1)).hasSize(600 + 1);
    }

    @Test
    void eventsThatDoNotMatchAreReadInPartsWithoutAWrite() {
        EventStream unused = stream("prefix=other");
        assertThat(take()).isNotEmpty();
        for (int fence = 1; fence <= 1_024; fence++) {
            publish(granted("k", fence));
        }
        loop.run();
        publish(granted("other", 1));
        loop.pass(MILLI.multipliedBy(10));
        assertThat(take()).containsOnlyOnce("event: ").contains("\"key\":\"other\"");
    }

    private String begunAfter(String query, ClientEvent... before) {
        feed = new EventFeed();
        publish(before);
        EventStream unused = stream(query);
        publish(granted("ci/build", 9));
        loop.run();
        return take();
    }

    @Test
    void theNewestEventsFromBeforeComeFirst() {
        ClientEvent[] before = {granted("ci/build", 1), granted("other", 2), granted("ci/build", 3), began()};
        assertThat(begunAfter("last=2&prefix=ci/", before).replaceAll("(?s)data: .*?\"fence\"", ""))
                .isEqualTo(": flockgate\n\n"
                        + "event: granted\n:\"0000000000000001\"}\n\n"
                        + "event: granted\n:\"0000000000000003\"}\n\n"
                        + "event: granted\n:\"0000000000000009\"}\n\n");
        assertThat(begunAfter("last=2", before))
                .contains("session_began", "\"0000000000000003\"")
                .doesNotContain("\"0000000000000001\"", "\"key\":\"other\"");
        assertThat(begunAfter("", before)).containsOnlyOnce("event: ");
    }

    @Test
    void aCommentShowsThatAQuietStreamLivesUntilItsEnd() {
        EventStream stream = stream(null);
        assertThat(take()).isEqualTo(": flockgate\n\n");
        loop.pass(Duration.ofSeconds(15));
        assertThat(take()).isEqualTo(": ping\n\n");
        loop.pass(Duration.ofSeconds(15));
        assertThat(writes).hasSize(1);
        loop.pass(Duration.ofMinutes(5));
        assertThat(writes).as("nobody reads").hasSize(1);
        stream.end();
        assertThat(loop.timersRunning()).isZero();
    }
}
