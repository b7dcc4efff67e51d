package io.flockgate.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.bench.http.BareHttpServer;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoadRunTest {
    @Test
    void everyWorkerAcquiresAndReleasesAKeyOfItsOwn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = Command.drive(server.port(), "--workers 5");

            assertThat(command.err()).isEmpty();
            assertThat(command.exit()).isZero();
            assertThat(command.out()).doesNotContain("handoff");
            assertThat(server.keys()).containsOnly("bench_0", "bench_1", "bench_2", "bench_3", "bench_4");
            assertThat(server.releases()).isEqualTo(server.grants());
            assertThat(command.figure("ops")).isBetween(1.0, server.grants() - 5.0);
            assertThat(command.figure("server_us_per_pair")).isPositive();
        }
    }

    @Test
    void aHotKeyIsHandedOverByAllWorkersInTurn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = Command.drive(server.port(), "--workers 4 --hot");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(command.figure("handoff_p50_us")).isPositive();
            assertThat(server.keys()).containsOnly("hot");
            assertThat(server.releases()).isEqualTo(server.grants());
        }
    }

    @Test
    void aPipelineSendsAllAcquiresOfARoundAheadOnKeysOfTheirOwn() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = Command.drive(server.port(), "--workers 2 --depth 8");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(command.figure("ops") % 8).isZero();
            assertThat(server.keys()).hasSize(16);
            assertThat(server.releases()).isEqualTo(server.grants());
        }
    }

    @Test
    void keysAreHeldBesideASecondMeasurement() throws IOException {
        try (FakeServer server = new FakeServer()) {
            Command command = Command.drive(server.port(), "--workers 2 --keys 600");

            assertThat(command.exit()).as(command.err()).isZero();
            assertThat(server.keys()).hasSize(602);
            assertThat(server.grants() - server.releases()).isEqualTo(600);
            assertThat(command.figure("empty_us_per_pair")).isPositive();
            assertThat(command.figure("fill_s")).isPositive();
        }
    }

    @Test
    void twoHoldersOfOneLockEndTheRun() throws IOException {
        try (FakeServer server = new FakeServer(2, answer -> answer)) {
            Command command = Command.drive(server.port(), "--workers 8 --hot --seconds 5");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).isEqualTo("load: 2 holders at once where 1 may hold\n");
        }
    }

    @Test
    void aFailedOperationEndsTheRunAndQuotesTheAnswer() throws IOException {
        try (FakeServer server = new FakeServer(1, answer -> answer.startsWith("ok 0") ? "error_max_locks" : answer)) {
            Command command = Command.drive(server.port(), "--workers 1");

            assertThat(command.exit()).isEqualTo(1);
            assertThat(command.err()).isEqualTo("load: worker 0: acquire was answered 'error_max_locks\\n'\n");
            assertThat(command.out()).isEmpty();
        }
    }

    @Test
    void restIsDrivenInSessions() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            int port = BareHttpServer.listen(vertx, 0)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS)
                    .actualPort();
            Command command = Command.drive(port, "--workers 5 --http");

            assertThat(command.err()).isEmpty();
            assertThat(command.figure("ops")).isPositive();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }
}
