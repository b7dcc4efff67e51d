package io.flockgate.gateway.stats;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ChunkedWriterTest {
    private static final int PART = 32 * 1024;

    private final FakeEventLoop loop = new FakeEventLoop();
    private final Parts document = new Parts();
    private final RecordingSink sink = new RecordingSink();
    private final ChunkedWriter writer = new ChunkedWriter(loop, document, sink);

    /** A document whose parts the test prepares. */
    private static final class Parts implements Document {
        private final Deque<Supplier<Future<Buffer>>> parts = new ArrayDeque<>();

        void ready(String text) {
            parts.add(() -> Future.succeededFuture(Buffer.buffer(text)));
        }

        Promise<Buffer> later() {
            Promise<Buffer> promise = Promise.promise();
            parts.add(promise::future);
            return promise;
        }

        @Override
        public boolean hasNext() {
            return !parts.isEmpty();
        }

        @Override
        public Future<Buffer> next() {
            return parts.remove().get();
        }
    }

    /** Accepts parts, and lets the test decide when they have left. */
    private static final class RecordingSink implements ChunkedWriter.Sink {
        private final List<String> written = new ArrayList<>();
        private final Deque<Promise<Void>> leaving = new ArrayDeque<>();
        private boolean last;

        @Override
        public Future<Void> write(Buffer part, boolean isLast) {
            assertThat(last).as("nothing comes after the last part").isFalse();
            last = isLast;
            written.add(part.toString(ISO_8859_1));
            Promise<Void> promise = Promise.promise();
            leaving.add(promise);
            return promise.future();
        }
    }

    private void left() {
        sink.leaving.remove().complete();
        loop.run();
        loop.pass(Duration.ofMillis(1));
    }

    @Nested
    class AShortDocument {
        @Test
        void leavesInOneWrite() {
            document.ready("a");
            document.ready("");
            document.ready("b");
            Future<Void> done = writer.run();
            assertThat(sink.written).containsExactly("ab");
            assertThat(sink.last).isTrue();
            assertThat(done.isComplete()).isFalse();
            left();
            assertThat(done.succeeded()).isTrue();
            assertThat(loop.posts()).isZero();
        }

        @Test
        void mayBeEmpty() {
            Future<Void> done = writer.run();
            assertThat(sink.written).containsExactly("");
            assertThat(sink.last).isTrue();
            left();
            assertThat(done.succeeded()).isTrue();
        }

        @Test
        void mayTakeItsTime() {
            document.ready("a");
            Promise<Buffer> slow = document.later();
            document.ready("c");
            Future<Void> done = writer.run();
            assertThat(writer.begun()).isFalse();
            slow.complete(Buffer.buffer("b"));
            assertThat(writer.begun()).as("goes on in a turn of the loop only").isFalse();
            loop.run();
            assertThat(sink.written).containsExactly("abc");
            left();
            assertThat(done.succeeded()).isTrue();
        }
    }

    @Nested
    class ALongDocument {
        @Test
        void leavesPartByPartEachWhenTheOneBeforeHasLeft() {
            for (int i = 0; i < 25; i++) {
                document.ready("x".repeat(4 * 1024));
            }
            Future<Void> done = writer.run();
            for (int part = 1; part <= 3; part++) {
                assertThat(sink.written).hasSize(part).last().asString().hasSize(PART);
                loop.run();
                assertThat(sink.written).hasSize(part);
                left();
            }
            assertThat(sink.written).hasSize(4).last().asString().hasSize(4 * 1024);
            assertThat(sink.last).isTrue();
            left();
            assertThat(done.succeeded()).isTrue();
        }

        @Test
        void thatEndsWithAFullPartEndsWithThatPart() {
            document.ready("x".repeat(PART));
            Future<Void> unused = writer.run();
            assertThat(sink.written).hasSize(1);
            assertThat(sink.last).isTrue();
        }

        @Test
        void givesOthersTheirTurnAlsoWhereItHasNothingToSay() {
            for (int i = 0; i < 100_000; i++) {
                document.ready("");
            }
            document.ready("end");
            Future<Void> unused = writer.run();
            loop.run();
            assertThat(sink.written).isEmpty();
            assertThat(document.parts).hasSizeGreaterThan(99_000);
            loop.pass(Duration.ofMillis(1));
            assertThat(document.parts).hasSizeBetween(98_000, 99_999);
            loop.pass(Duration.ofMinutes(1));
            assertThat(sink.written).containsExactly("end");
        }
    }

    @Nested
    class Failures {
        private final IllegalStateException failure = new IllegalStateException("failure");

        @Test
        void ofTheDocumentBeforeItsFirstPartLeaveTheSinkUntouched() {
            document.ready("a");
            document.later().fail(failure);
            Future<Void> done = writer.run();
            loop.run();
            assertThat(done.cause()).isSameAs(failure);
            assertThat(writer.begun()).isFalse();
            assertThat(sink.written).isEmpty();
        }

        @Test
        void ofTheDocumentInItsMidstEndIt() {
            document.ready("x".repeat(PART));
            Promise<Buffer> slow = document.later();
            Future<Void> done = writer.run();
            left();
            slow.fail(failure);
            loop.run();
            assertThat(done.cause()).isSameAs(failure);
            assertThat(writer.begun()).isTrue();
            assertThat(sink.last).isFalse();
        }

        @Test
        void thatAreThrownAreFailuresLikeOthers() {
            document.parts.add(() -> {
                throw failure;
            });
            assertThat(writer.run().cause()).isSameAs(failure);
        }

        @Test
        void thatAreThrownLateAreFailuresLikeOthers() {
            Promise<Buffer> slow = document.later();
            document.parts.add(() -> {
                throw failure;
            });
            Future<Void> done = writer.run();
            slow.complete(Buffer.buffer("a"));
            loop.run();
            assertThat(done.cause()).isSameAs(failure);
        }

        @Test
        void ofTheSinkEndTheDocument() {
            document.ready("x".repeat(PART));
            document.ready("never made");
            Future<Void> done = writer.run();
            sink.leaving.remove().fail(failure);
            loop.run();
            assertThat(done.cause()).isSameAs(failure);
            assertThat(document.hasNext()).isTrue();
        }

        @Test
        void ofTheSinksLastPartAreReportedToo() {
            Future<Void> done = writer.run();
            sink.leaving.remove().fail(failure);
            assertThat(done.cause()).isSameAs(failure);
        }
    }
}
