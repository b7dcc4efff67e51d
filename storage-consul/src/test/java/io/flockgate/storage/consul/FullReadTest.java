package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.tck.Await;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Other gateways have written about as much as a gateway can read at once. */
@Execution(ExecutionMode.CONCURRENT)
class FullReadTest {
    private static final byte[] LARGE = new byte[256 << 10];
    private static final int COUNT = ConsulApi.MAX_ANSWER_BYTES / 2 / LARGE.length;

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();

    @AfterEach
    void close() {
        site.close();
    }

    private static Claim claim(String key, Kind kind, boolean mayQueue) {
        return new Claim(Key.of(key), kind, kind == Kind.LOCK ? 1 : 2, 30, mayQueue);
    }

    private static String large(int i) {
        return StandIns.BASE + "large/" + i;
    }

    @Test
    void claimsThatWouldAddToItAreRefusedUntilItShrinks() {
        Had lock = gateway.hold(claim("lock", Kind.LOCK, false));
        Had slot = gateway.hold(claim("semaphore", Kind.SEMAPHORE, false));
        IntStream.range(0, COUNT).forEach(i -> site.consul().put(large(i), Flags.MUTEX, LARGE));
        gateway.awaitRead("large");

        assertThat(gateway.tryOnce(claim("new", Kind.LOCK, false))).isEqualTo(Refusal.MAX_LOCKS);
        assertThat(gateway.tryOnce(claim("semaphore", Kind.SEMAPHORE, false))).isEqualTo(Refusal.MAX_HOLDERS);
        assertThat(Await.result(gateway.ask(claim("lock", Kind.LOCK, true)))).isEqualTo(Refusal.MAX_WAITERS);
        assertThat(gateway.storage().failureReason()).isEmpty();
        assertThat(slot.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.tryOnce(claim("lock", Kind.LOCK, false))).isInstanceOf(ClaimOutcome.Held.class);

        IntStream.range(0, COUNT).forEach(i -> site.consul().delete(large(i)));
        gateway.awaitRead("large");
        assertThat(gateway.tryOnce(claim("new", Kind.LOCK, false))).isInstanceOf(ClaimOutcome.Held.class);
    }
}
