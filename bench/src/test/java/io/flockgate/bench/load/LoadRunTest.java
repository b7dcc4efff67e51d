package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LoadRunTest {
    private static Command drive(FakeServer server, String arguments) {
        return Command.run(Stream.of(List.of(arguments.split(" ")), List.of("--addr", server.address()))
                .flatMap(List::stream)
                .toArray(String[]::new));
    }

    @Test
    void everyWorkerDoesItsRoundsOnAKeyOfItsOwn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = drive(server, "cycle --workers 5 --rounds 40 --warmup 3");

            assertThat(command.err()).isEmpty();
            assertThat(command.exit()).isZero();
            assertThat(command.out()).contains("total ops     200\n").doesNotContain("hand-off");
            assertThat(server.keys()).isEqualTo(5);
            assertThat(server.grants()).isEqualTo(5 * 43);
            assertThat(server.releases()).isEqualTo(5 * 43);
        }
    }

    @Test
    void aHotKeyIsHandedOverByAllWorkersInTurn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = drive(server, "hot --workers 4 --rounds 50 --warmup 2 --json");

            assertThat(command.err()).isEmpty();
            assertThat(command.exit()).isZero();
            assertThat(command.out()).contains("\"ops\":200,").containsPattern("\"handoffs\":[1-9]");
            assertThat(server.keys()).isEqualTo(1);
            assertThat(server.grants()).isEqualTo(4 * 52);
        }
    }

    @Test
    void aMeasuredTimeEndsWithAllLocksReleased() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = drive(server, "cycle --shared-key --workers 3 --seconds 0.05");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(server.releases()).isEqualTo(server.grants());
        }
    }

    @Test
    void aPipelineSendsAllAcquiresOfARoundAheadOnKeysOfTheirOwn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = drive(server, "pipeline --workers 2 --depth 8 --rounds 10 --warmup 0");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(command.out()).contains("total ops     160\n").contains("depth 8");
            assertThat(server.keys()).isEqualTo(16);
        }
    }

    @Test
    void theOtherModesRunToTheirEnd() throws IOException {
        for (String mode : List.of("sem --limit 1", "twophase", "keys --keys 600", "idle --idle 5")) {
            try (FakeServer server = new FakeServer()) {
                Command command = drive(server, mode + " --workers 2 --rounds 5 --warmup 1");

                assertThat(command.exit()).as(mode + ": " + command.err()).isZero();
                assertThat(command.out()).contains("total ops     10\n");
            }
        }
    }

    @Test
    void twoHoldersOfOneLockEndTheRun() throws IOException {
        try (FakeServer server = new FakeServer(2, answer -> answer)) {
            Command command = drive(server, "hot --workers 8 --rounds 2000 --warmup 0");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).isEqualTo("load: 2 holders at once where 1 may hold\n");
        }
    }

    @Test
    void aFailedOperationEndsTheRunAndQuotesTheAnswer() throws IOException {
        try (FakeServer server = new FakeServer(1, answer -> answer.startsWith("ok 0") ? "error_max_locks" : answer)) {
            Command command = drive(server, "cycle --workers 1");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).isEqualTo("load: worker 0: acquire was answered 'error_max_locks\\n'\n");
            assertThat(command.out()).isEmpty();
        }
    }

    @Test
    void theTokenGoesFirstOnEveryConnection() throws IOException {
        try (FakeServer server = new FakeServer()) {
            assertThat(drive(server, "cycle --workers 2 --rounds 1 --auth-token secret")
                            .exit())
                    .isZero();
            assertThat(drive(server, "cycle --workers 2 --rounds 1 --auth-token wrong"))
                    .isEqualTo(new Command(1, "", "load: auth was answered 'error_auth'\n"));
        }
    }

    @Test
    void theCostOfAServerProcessIsReadFromItsOwnClock() throws IOException {
        try (FakeServer server = new FakeServer()) {
            long self = ProcessHandle.current().pid();
            Command command = drive(server, "cycle --workers 2 --rounds 50 --json --pid " + self);

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(command.out())
                    .containsPattern("\"server_us_per_pair\":[1-9]")
                    .containsPattern("\"rss_kb\":[1-9]");
        }
    }

    @Test
    void aServerThatIsNotThereIsAFailedRun() throws IOException {
        // Bound but not listening: nobody else can take the port meanwhile.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Command command = Command.run("cycle", "--addr", "127.0.0.1:" + bound.getLocalPort());

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).contains("Connection refused");
        }
    }
}
