package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The contract of sessions. Consul must allow a TTL of one second. */
abstract class SessionContract extends ReadContract {
    @Test
    void aSessionLivesUntilItIsDestroyed() {
        String id = session();

        assertThat(api.renewSession(id)).isTrue();
        api.destroySession(id);
        assertThat(api.renewSession(id)).isFalse();
        api.destroySession(id);
    }

    @Test
    void theEndOfASessionReleasesItsKeysAtOneIndexAndNoOthers() {
        String ending = session();
        String other = session();
        done(
                new KvOp.Lock(base + "a", 0, bytes("x"), ending),
                new KvOp.Lock(base + "b", 0, bytes("x"), ending),
                new KvOp.Lock(base + "c", 0, bytes("x"), other),
                set(base + "d", "x"));
        api.destroySession(ending);

        assertThat(keys(base)).containsExactly(base + "a", base + "b", base + "c", base + "d");
        assertThat(only(base + "a").session()).isNull();
        assertThat(only(base + "a").value()).isEqualTo(bytes("x"));
        assertThat(only(base + "b").modifyIndex()).isEqualTo(only(base + "a").modifyIndex());
        assertThat(only(base + "c").session()).isEqualTo(other);
    }

    @Test
    void aSessionHasANodeUntilItHasEnded() {
        String id = session();
        assertThat(api.nodeIndex(Objects.requireNonNull(api.sessionNode(id))))
                .isPositive()
                .isLessThanOrEqualTo(raftIndex());
        api.destroySession(id);
        assertThat(api.sessionNode(id)).isNull();
    }

    @Test
    void aNodeThatNobodyRegisteredHasNoIndex() {
        assertThat(api.nodeIndex("no such node")).isZero();
    }

    @Test
    void aSessionThatIsNotRenewedEndsAfterTwiceItsTimeToLive() {
        long begun = System.nanoTime();
        String id = session(Duration.ofSeconds(1));
        long index = done(new KvOp.Lock(base + "k", 0, bytes("x"), id))
                .results()
                .getFirst()
                .modifyIndex();

        assertThat(api.watch(base, index, LONG).entries()).allMatch(entry -> entry.session() == null);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(8));
        assertThat(api.renewSession(id)).isFalse();
    }

    @Test
    void aSessionCannotBeMadeWithATimeToLiveThatConsulRefuses() {
        assertThatThrownBy(() -> session(Duration.ofMillis(10))).isInstanceOfSatisfying(ConsulException.class, e -> {
            assertThat(e.kind()).isEqualTo(FailureKind.INVALID);
            assertThat(e.effect()).isEqualTo(Effect.NOT_DONE);
        });
    }
}
