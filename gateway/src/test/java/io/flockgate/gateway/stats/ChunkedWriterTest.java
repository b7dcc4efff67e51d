package io.flockgate.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.Dialogue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.stats.ChunkedWriter.Document;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChunkedWriterTest {
    private final FakeEventLoop loop = new FakeEventLoop();
    private final Deque<String> parts = new ArrayDeque<>();
    private final Promise<Buffer> slow = Promise.promise();
    private final List<String> done = new ArrayList<>();
    private Promise<Void> leaving = Promise.promise();
    private final ChunkedWriter writer = new ChunkedWriter(loop, "", new Parts(), this::write);

    private final class Parts implements Document {
        @Override
        public boolean hasNext() {
            return !parts.isEmpty();
        }

        @Override
        public Future<Buffer> next() {
            String part = parts.remove();
            return switch (part) {
                case "later" -> slow.future();
                case "throws" -> throw new IllegalStateException("broken");
                case "empty" -> Future.succeededFuture(Buffer.buffer());
                case "4k" -> Future.succeededFuture(Buffer.buffer("x".repeat(4 * 1024)));
                case "32k" -> Future.succeededFuture(Buffer.buffer("x".repeat(32 * 1024)));
                default -> Future.succeededFuture(Buffer.buffer(part));
            };
        }
    }

    private Future<Void> write(Buffer part, boolean last) {
        done.add((part.length() < 10 ? "[" + part.toString().replace('\n', '.') + "]" : "[" + part.length() + "]")
                + (last ? " ends" : ""));
        leaving = Promise.promise();
        return leaving.future();
    }

    private void act(String step) {
        switch (step) {
            case "run" ->
                writer.run()
                        .onComplete(ended -> done.add("done"), cause -> done.add(String.valueOf(cause.getMessage())));
            case "turn" -> loop.run();
            case "a part leaves" -> {
                leaving.complete();
                loop.run();
                loop.pass(Duration.ofMillis(1));
            }
            case "a part breaks" -> leaving.fail("broken");
            case "b comes" -> slow.complete(Buffer.buffer("b"));
            case "it fails" -> slow.fail("broken");
            default -> throw new IllegalArgumentException(step);
        }
    }

    /** The parts of the document, and what is written after each step: a dot is a line feed. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # a short document leaves in one write
            a empty b | run -> [ab.] ends; a part leaves -> done
            '' | run -> [.] ends; a part leaves -> done
            # it may take its time, and goes on in a turn of the loop only
            a later c | run; b comes; turn -> [abc.] ends; a part leaves -> done
            # a long document leaves part by part, each when the one before has left
            4k 4k 4k 4k 4k 4k 4k 4k 4k | run -> [32768]; turn; a part leaves -> [4097] ends; a part leaves -> done
            32k 32k a | run -> [32768]; a part leaves -> [32768]; a part leaves -> [a.] ends
            32k | run -> [32769] ends
            # a failure before the first part leaves the sink untouched, and one in the midst ends the document
            a later | run; it fails; turn -> broken
            32k later | run -> [32768]; a part leaves; it fails; turn -> broken
            # what is thrown is a failure like others
            throws | run -> broken
            later throws | run; b comes; turn -> broken
            # failures of the sink end the document
            32k a | run -> [32768]; a part breaks -> broken; turn
            '' | run -> [.] ends; a part breaks -> broken
            """)
    void aDocumentIsWrittenAsItIsMade(String document, String script) {
        Collections.addAll(parts, document.isEmpty() ? new String[0] : document.split(" ", -1));
        Dialogue.play(script, step -> {
            done.clear();
            act(step);
            return List.copyOf(done);
        });
        assertThat(writer.begun()).isEqualTo(script.contains("["));
    }

    @Test
    void aShortDocumentCostsNoTurn() {
        Collections.addAll(parts, "a", "b");
        act("run");
        act("a part leaves");
        assertThat(done).containsExactly("[ab.] ends", "done");
        assertThat(loop.posts()).isZero();
    }

    @Test
    void aDocumentGivesOthersTheirTurnEvenWhereItHasNothingToSay() {
        parts.addAll(Collections.nCopies(100_000, "empty"));
        parts.add("end");
        act("run");
        act("turn");
        assertThat(done).isEmpty();
        assertThat(parts).hasSizeGreaterThan(99_000);
        loop.pass(Duration.ofMillis(1));
        assertThat(parts).hasSizeBetween(98_000, 99_999);
        loop.pass(Duration.ofMinutes(1));
        assertThat(done).containsExactly("[end.] ends");
    }
}
