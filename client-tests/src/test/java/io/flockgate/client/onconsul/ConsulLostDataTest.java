package io.flockgate.client.onconsul;

import static io.flockgate.client.onconsul.SharedConsul.get;
import static io.flockgate.client.onconsul.SharedConsul.lease;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.Grant;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.LostEvent;
import io.flockgate.client.LostReason;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.HttpCall;
import io.flockgate.testsupport.Polling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Java services on a Consul that comes back without its data: fences never fall. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulLostDataTest {
    private static final String RECORD = "flockgate/.flockgate";
    private static final Pattern INDEX = Pattern.compile("\"ModifyIndex\":\\s*(\\d+)");
    private static final Pattern SESSION = Pattern.compile("\"Session\":\\s*\"[0-9a-f]");

    /** Above the index that a starting Consul reaches by its own writes. */
    private static final long BEGINNING = 60;

    private static final int MAX_RESTARTS = 20;

    private final ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().withConfig(SharedConsul.SHORT_SESSIONS));

    @AfterEach
    void close() {
        agent.close();
    }

    private LeaseProvider connect() {
        return SharedConsul.connect(SharedConsul.uri(agent.address()));
    }

    private static long fenceAfter(LeaseProvider provider, int grants) throws Exception {
        long fence = 0;
        Lease lease = lease(provider, "job", 1);
        for (int i = 0; i < grants; i++) {
            Grant grant = get(lease.acquireWithToken()).orElseThrow();
            fence = grant.fence().orElseThrow();
            get(lease.release());
        }
        return fence;
    }

    private void write(String key, String value) {
        HttpCall.ask(agent.address(), "PUT", "/v1/kv/" + key, value);
    }

    private String read(String key) {
        return HttpCall.ask(agent.address(), "GET", "/v1/kv/" + key + "?raw", "");
    }

    private long index(String key) {
        Matcher index = INDEX.matcher(HttpCall.ask(agent.address(), "GET", "/v1/kv/" + key, ""));
        assertThat(index.find()).isTrue();
        return Long.parseLong(index.group(1));
    }

    /** Writes until Consul's index has reached this one. */
    private long fill(long index) {
        long now = 0;
        for (int i = 0; now < index; i++) {
            write("filler", String.valueOf(i));
            now = index("filler");
        }
        return now;
    }

    /** Restarts Consul without its data, and writes the record at the same index as before. */
    private void restartWithRecordAt(long index, String record) {
        for (int i = 0; i < MAX_RESTARTS; i++) {
            agent.restart();
            if (fill(index - 1) == index - 1) {
                write(RECORD, record);
                if (index(RECORD) == index) {
                    return;
                }
            }
        }
        throw new AssertionError("Consul itself writes too often");
    }

    /** Claims until the claim is refused for good, and is never granted. */
    private static void awaitRefused(LeaseProvider provider) throws Exception {
        Lease lease = lease(provider, "job", 1);
        assertThat(Polling.until(() -> refusal(lease), LeaseConfigException.class::isInstance))
                .isInstanceOf(LeaseConfigException.class);
    }

    private static Throwable refusal(Lease lease) throws Exception {
        try {
            throw new AssertionError("granted " + get(lease.acquireWithToken()));
        } catch (ExecutionException refused) {
            return Objects.requireNonNull(refused.getCause());
        }
    }

    @Test
    void aClientThatHasSeenLittleWaitsForThoseThatHaveSeenMore() throws Exception {
        try (LeaseProvider idle = connect();
                LeaseProvider busy = connect()) {
            long seen = fenceAfter(idle, 1);
            assertThat(fenceAfter(busy, 40)).isGreaterThan(seen + 40);
            agent.restart();
            // Above what the idle client has seen, so that it cannot notice the loss by itself.
            assertThat(fill(seen)).isGreaterThanOrEqualTo(seen);

            assertThatThrownBy(() -> get(lease(idle, "job", 1).acquire()))
                    .hasCauseInstanceOf(LeaseUnavailableException.class);
            Polling.until(
                    "the record is made again",
                    () -> HttpCall.ask(agent.address(), "GET", "/v1/kv/?keys", "")
                            .contains(RECORD));
            awaitRefused(busy);
            awaitRefused(idle);
            try (LeaseProvider fresh = connect()) {
                awaitRefused(fresh);
            }
        }
    }

    /**
     * Only the index of the grant shows the loss, as when a snapshot of an old Consul has been
     * restored into a new one.
     */
    @Test
    void aGrantThatIsRefusedKeepsNoSlot() throws Exception {
        fill(BEGINNING);
        try (LeaseProvider busy = connect()) {
            assertThat(fenceAfter(busy, 40)).isPositive();
            restartWithRecordAt(index(RECORD), read(RECORD));

            assertThatThrownBy(() -> get(lasting(busy).acquire())).hasCauseInstanceOf(LeaseConfigException.class);

            awaitFree();
            try (LeaseProvider fresh = connect()) {
                awaitRefused(fresh);
            }
        }
    }

    @Test
    void anotherRecordAtTheSameIndexIsNoticed() throws Exception {
        fill(BEGINNING);
        try (LeaseProvider idle = connect()) {
            assertThat(fenceAfter(idle, 1)).isPositive();
            String again = read(RECORD).replaceFirst("\"made\":\"[0-9a-f]{16}\"", "\"made\":\"0123456789abcdef\"");
            restartWithRecordAt(index(RECORD), again);
            fill(index(RECORD) + 30);

            assertThatThrownBy(() -> get(lasting(idle).acquire())).hasCauseInstanceOf(LeaseUnavailableException.class);

            awaitFree();
        }
    }

    /** All of the grants were made after the snapshot. Eight of them have a blocking read. */
    @Test
    void everyGrantThatARestoredSnapshotDoesNotHaveIsLostAtOnce(@TempDir Path directory) throws Exception {
        try (ConsulAgent durable = ConsulAgent.start(AgentOptions.plain().onDisk());
                LeaseProvider provider = SharedConsul.connect(SharedConsul.uri(durable.address()))) {
            assertThat(get(provider.lease(options("first")).acquire())).isTrue();
            String file = directory.resolve("snapshot").toString();
            assertThat(durable.cli("snapshot", "save", file).exitCode()).isZero();
            List<CompletableFuture<LostEvent>> lost = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Lease lease = provider.lease(options("job-" + i));
                lost.add(get(lease.acquireWithToken()).orElseThrow().lost().toCompletableFuture());
            }

            assertThat(durable.cli("snapshot", "restore", file).exitCode()).isZero();

            for (CompletableFuture<LostEvent> each : lost) {
                assertThat(get(each).reason()).isEqualTo(LostReason.REVOKED);
            }
        }
    }

    /** No renewal is due within the patience of the test. */
    private static LeaseOptions options(String name) {
        return LeaseOptions.named(name)
                .ttl(Duration.ofMinutes(15))
                .renewInterval(Duration.ofMinutes(4))
                .build();
    }

    /** A lease that outlasts every test. */
    private static Lease lasting(LeaseProvider provider) {
        return provider.lease(
                LeaseOptions.named("job").ttl(Duration.ofMinutes(10)).build());
    }

    private void awaitFree() {
        Polling.until("the slot is free", () -> {
            String lock = HttpCall.ask(agent.address(), "GET", "/v1/kv/flockgate/?recurse", "");
            return lock.contains("job/.lock")
                    && !SESSION.matcher(lock).find()
                    && read("flockgate/job/.lock").isEmpty();
        });
    }
}
