package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Consul that loses its data under a gateway, and a gateway that remembers its fences. {@link
 * RecordKeeperTest} has the rules.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostDataTest {
    private final StandIns site = new StandIns();
    private final Claim claim = Site.lock("job");

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        site.close();
    }

    private Gateway gateway(String option, String value) {
        return site.gateway(Map.of(option, value, "consul-session-ttl", "600"));
    }

    /** Makes this number of grants, and returns the last fence. */
    private long fenceAfter(Gateway gateway, int grants) {
        long fence = 0;
        for (int i = 0; i < grants; i++) {
            Had had = gateway.hold(claim);
            assertThat(Long.compareUnsigned(had.grant().fence(), fence)).isPositive();
            fence = had.grant().fence();
            assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        return fence;
    }

    /**
     * The index of the snapshot is above that of the watch, and the sessions are in the snapshot.
     */
    @Test
    void aGatewayStopsWhenASnapshotComesBackWhileItsWatchPauses() {
        Gateway gateway = site.gateway(600);
        Polling.until("it watches", () -> gateway.api().isAwaited(StandIns.BASE));
        long early = fenceAfter(gateway, 1);
        Polling.until("the watch pauses", () -> !gateway.api().isAwaited(StandIns.BASE));
        assertThat(fenceAfter(gateway, 5)).isGreaterThan(early);
        site.consul().save();
        long unused = fenceAfter(gateway, 20);
        site.consul().restoreElsewhere();
        Polling.until(
                "it has stopped",
                () -> gateway.storage().failureReason().orElse("").contains("Consul has lost"));
        assertThat(Await.failure(gateway.ask(claim))).isNotNull();
    }

    /** Its watch, which would detect that, is slower than the claim. */
    @ParameterizedTest
    @CsvSource({"LOCK, false", "SEMAPHORE, false", "LOCK, true"})
    void noGrantHasALowerFenceAfterASnapshotHasComeBack(Kind kind, boolean detached) {
        Gateway gateway = site.gateway(600);
        long unused = fenceAfter(gateway, 1);
        site.consul().save();
        long unusedToo = fenceAfter(gateway, 20);
        gateway.deaf().set(true);
        site.consul().restoreElsewhere();
        Claim other = new Claim(Key.of("other"), kind, 1, 1000, true);
        assertThat(Await.failure(gateway.asks(other, detached).answer())).hasMessageContaining("has gone back");
        assertThat(gateway.storage().failureReason().orElse("")).contains("has gone back");
    }

    @Test
    void theStateFileRemembersOverRestarts() {
        String file = directory.resolve("new/fence").toString();
        Gateway gateway = gateway("fence-state-file", file);
        long fence = fenceAfter(gateway, 20);
        gateway.close();
        Gateway again = gateway("fence-state-file", file);
        assertThat(fenceAfter(again, 1)).isGreaterThan(fence);
        again.close();
        site.consul().forget();
        assertThatThrownBy(() -> gateway("fence-state-file", file)).hasMessageContaining("Consul has lost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "{}", "{\"cluster\":\"a\",\"fence\":\"-1\"}"})
    void aFileOfSomethingElseIsLeftAlone(String content) throws IOException {
        Path file = Files.writeString(directory.resolve("fence"), content);
        assertThatThrownBy(() -> gateway("fence-state-file", file.toString()))
                .hasMessageContaining("--fence-state-file");
        assertThat(file).hasContent(content);
    }
}
