package io.flockgate.client.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;

/** Leases and claims of the tests, and their outcomes. */
final class TestLeases {
    /** Enough time for an answer even on a slow machine. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Short enough to wait for renewals; a slow machine answers within a third of it. */
    static final Duration TTL = Duration.ofSeconds(6);

    private TestLeases() {}

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** No renewal is due within the patience of a test. */
    static Lease lease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(Duration.ofMinutes(10))
                .requestTimeout(PATIENCE)
                .build());
    }

    static Lease shortLease(LeaseProvider provider, String name) {
        return provider.lease(LeaseOptions.named(name)
                .ttl(TTL)
                .requestTimeout(TTL.dividedBy(3))
                .renewInterval(TTL.dividedBy(4))
                .build());
    }

    /** Waits until another renewal has succeeded. */
    static void awaitRenewal(Lease lease, Duration ttl) throws Exception {
        LeaseGrant grant = lease.current().orElseThrow();
        Duration most = ttl.multipliedBy(7).dividedBy(10);
        Polling.until("a renewal", () -> grant.remaining().compareTo(most) < 0 || !grant.isAlive());
        Polling.until("a renewal", () -> grant.remaining().compareTo(most) > 0 || !grant.isAlive());
        assertThat(grant.isAlive()).isTrue();
    }

    /** Whether a claim finds the lock held. A claim that is granted is released. */
    static boolean isHeld(LineClient observer, String name) {
        try {
            String[] reply = observer.ask("l", name, "0 60").split(" ", -1);
            if (reply[0].equals("ok")) {
                assertThat(observer.ask("r", name, reply[1])).isEqualTo("ok");
            }
            return !reply[0].equals("ok");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    static AcquireRequest claim(Duration ttl, Duration wait, Duration patience) {
        return new AcquireRequest("job", 1, "me", ttl, wait, patience);
    }

    @CanIgnoreReturnValue
    static AbstractThrowableAssert<?, ?> assertUnavailable(CompletionStage<?> stage, boolean mayHold) {
        return assertThatThrownBy(() -> get(stage))
                .cause()
                .isInstanceOfSatisfying(LeaseUnavailableException.class, failure -> {
                    assertThat(failure.mayHold()).isEqualTo(mayHold);
                    assertCausesArePublic(failure);
                });
    }

    private static void assertCausesArePublic(Throwable failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            assertThat(cause.getClass().getPackageName()).doesNotStartWith("io.flockgate.client.");
        }
    }
}
