package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HttpLoadRunTest {
    private static Command drive(FakeServer server, String arguments) {
        return Command.run(Stream.concat(
                        Stream.of(arguments.split(" ", -1)),
                        Stream.of("--protocol", "http", "--addr", server.address()))
                .toArray(String[]::new));
    }

    @Test
    void everyWorkerDoesItsRoundsInASessionOfItsOwnAndEndsIt() throws IOException {
        try (FakeHttpServer server = new FakeHttpServer()) {
            Command command = drive(server, "cycle --workers 5 --rounds 40 --warmup 3");

            assertThat(command.err()).isEmpty();
            assertThat(command.exit()).isZero();
            assertThat(command.out()).contains("total ops     200\n");
            assertThat(server.keys()).isEqualTo(5);
            assertThat(server.grants()).isEqualTo(5 * 43);
            assertThat(server.releases()).isEqualTo(5 * 43);
            assertThat(server.sessionsCreated()).isEqualTo(5);
            assertThat(server.sessionsLeft()).isZero();
            assertThat(server.timeouts()).containsExactly("0");
        }
    }

    @Test
    void aHotKeyIsHandedOverByLongPolls() throws IOException {
        try (FakeHttpServer server = new FakeHttpServer()) {
            Command command = drive(server, "hot --workers 4 --rounds 50 --warmup 2 --timeout 17 --json");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(command.out()).contains("\"ops\":200,").containsPattern("\"handoffs\":[1-9]");
            assertThat(server.keys()).isEqualTo(1);
            assertThat(server.timeouts()).containsExactly("17");
        }
    }

    @Test
    void theOtherModesRunToTheirEnd() throws IOException {
        for (String mode :
                List.of("sem --limit 1", "twophase", "keys --keys 600", "idle --idle 5", "pipeline --depth 5")) {
            try (FakeHttpServer server = new FakeHttpServer()) {
                Command command = drive(server, mode + " --workers 2 --rounds 5 --warmup 1");

                assertThat(command.exit()).as(mode + ": " + command.err()).isZero();
                assertThat(command.out())
                        .contains(mode.startsWith("pipeline") ? "total ops     50\n" : "total ops     10\n");
                assertThat(server.sessionsLeft()).as(mode).isZero();
            }
        }
    }

    @Test
    void aKeyIsOneSegmentOfThePathWhateverItIsMadeOf() throws IOException {
        try (FakeHttpServer server = new FakeHttpServer()) {
            Command command = drive(server, "hot --workers 1 --rounds 1 --warmup 0 --key ../a?b#c%25");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(server.keyNames()).containsExactly("locks/../a?b#c%25");
        }
    }

    @Test
    void twoHoldersOfOneLockEndTheRun() throws IOException {
        try (FakeHttpServer server = new FakeHttpServer(2, answer -> answer, null)) {
            Command command = drive(server, "hot --workers 8 --rounds 2000 --warmup 0");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).isEqualTo("load: 2 holders at once where 1 may hold\n");
        }
    }

    @Test
    void aFailedOperationEndsTheRunAndQuotesTheAnswer() throws IOException {
        String refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\n\r\n{\"error\":\"max_locks\"}";
        try (FakeHttpServer server =
                new FakeHttpServer(1, answer -> answer.contains("token") ? refusal : answer, null)) {
            Command command = drive(server, "cycle --workers 1");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err())
                    .startsWith("load: worker 0: acquire was answered 'HTTP/1.1 503 Service Unavailable\\r\\n")
                    .endsWith("{\"error\":\"max_locks\"}'\n");
        }
    }

    @Test
    void aSessionThatIsGoneAtTheEndFailsTheRun() throws IOException {
        String gone = "HTTP/1.1 410 Gone\r\nContent-Length: 24\r\n\r\n{\"error\":\"session_gone\"}";
        // Two rounds, one to warm up and one measured, release a lock each; the third answer without a body is the
        // last.
        int[] bodiless = {0};
        try (FakeHttpServer server =
                new FakeHttpServer(1, answer -> answer.contains(" 204 ") && ++bodiless[0] == 3 ? gone : answer, null)) {
            Command command = drive(server, "cycle --workers 1 --rounds 1 --warmup 0");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).startsWith("load: the end of a session was answered 'HTTP/1.1 410 Gone");
        }
    }

    @Test
    void theTokenGoesWithEveryRequest() throws IOException {
        try (FakeHttpServer server = new FakeHttpServer(1, answer -> answer, "secret")) {
            assertThat(drive(server, "cycle --workers 2 --rounds 1 --auth-token secret"))
                    .extracting(Command::exit, Command::err)
                    .containsExactly(0, "");
            assertThat(drive(server, "cycle --workers 2 --rounds 1 --auth-token wrong")
                            .err())
                    .startsWith("load: the request for a session was answered 'HTTP/1.1 401 Unauthorized\\r\\n");
        }
    }
}
