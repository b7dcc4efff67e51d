package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.lock;
import static io.flockgate.storage.consul.Site.semaphore;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator has changed a key's kind or limit while waiters still expect the earlier ones. */
@Execution(ExecutionMode.CONCURRENT)
class ChangedLimitTest {
    private static final String LOCK = StandIns.BASE + "job/.lock";

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final Gateway other = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    private void limit(long from, long to) {
        KvEntry document = Objects.requireNonNull(site.consul().get(LOCK));
        String changed = new String(document.value(), UTF_8).replace("\"Limit\":" + from, "\"Limit\":" + to);
        assertThat(changed).contains("\"Limit\":" + to);
        assertThat(site.consul().put(LOCK, Flags.SEMAPHORE, changed.getBytes(UTF_8)))
                .isNotNull();
    }

    private void bothHaveRead() {
        gateway.awaitRead("job");
        other.awaitRead("job");
    }

    /** Lets both gateways observe the key for longer than a living head would need. */
    private void timePasses(Claim claim) {
        for (int i = 0; i < 3; i++) {
            for (Gateway each : new Gateway[] {gateway, other}) {
                each.wake(claim);
                each.jump(Duration.ofSeconds(2));
            }
            bothHaveRead();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWaiterIsGrantedAtTheLimitThatTheKeyHasByThen(boolean here) {
        Had first = gateway.hold(semaphore("job", 1));
        Queued old = (here ? gateway : other).queue(semaphore("job", 1));
        limit(1, 2);
        Had second = old.awaitGrant();
        Queued third = other.queue(semaphore("job", 2));
        limit(2, 1);
        bothHaveRead();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        timePasses(semaphore("job", 1));
        assertThat(third.granted()).isFalse();
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    static Stream<Claim> kinds() {
        return Stream.of(lock("job"), semaphore("job", 1));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nobodyLosesAPlaceWhileTheKeyIsSomethingElse(Claim claim) {
        Had first = gateway.hold(claim);
        Queued second = gateway.queue(claim);
        Queued third = other.queue(claim);
        assertThat(site.consul().put(LOCK, 5, "maintenance".getBytes(UTF_8))).isNotNull();
        assertThat(first.awaitEnd()).isNotNull();
        bothHaveRead();
        gateway.jump(Duration.ofSeconds(3));
        other.jump(Duration.ofSeconds(3));
        site.consul().put(StandIns.BASE + "job/stir", 0, new byte[] {1});
        bothHaveRead();
        assertThat(second.granted() || third.granted()).isFalse();
        site.consul().delete(LOCK);
        Had now = second.awaitGrant();
        assertThat(third.granted()).isFalse();
        assertThat(now.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(third.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Without a document, only the queue shows the type of the key. */
    @Test
    void theFirstInTheQueueSaysWhatADeletedKeyIs() {
        Had first = gateway.hold(semaphore("job", 1));
        Queued second = other.queue(semaphore("job", 1));
        site.consul().delete(LOCK);
        assertThat(first.awaitEnd()).isNotNull();
        assertThat(second.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
