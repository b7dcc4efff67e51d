package io.flockgate.client.shedlock;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import net.javacrumbs.shedlock.support.LockException;

/**
 * The three calls of a back end for a blocking thread. Each ends within twice the request timeout.
 */
final class GrantCalls {
    private static final Duration LONGEST = Duration.ofDays(1);

    private final LeaseBackend backend;
    private final Duration timeout;
    private final Duration timeUnit;
    private final String owner = "shedlock-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();

    GrantCalls(LeaseBackend backend, Duration timeout) {
        this.backend = backend;
        this.timeout = timeout;
        this.timeUnit = countsMilliseconds(backend) ? Duration.ofMillis(1) : Duration.ofSeconds(1);
    }

    private static boolean countsMilliseconds(LeaseBackend backend) {
        try {
            backend.check(LeaseOptions.named("shedlock")
                    .ttl(Duration.ofMillis(90_001))
                    .build());
            return true;
        } catch (LeaseConfigException refused) {
            return false;
        }
    }

    /**
     * Tries once; returns the token of the grant.
     *
     * @throws LockException if the result is unknown. A grant that arrives late, or too late to be
     *     used, is released
     */
    Optional<String> acquire(String name, Duration time) {
        Duration ttl = roundedUp(time);
        check(name, ttl);
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        long sent = System.nanoTime();
        CompletableFuture<AcquireResult> answer = backend.acquire(new AcquireRequest(
                        name, 1, owner, ttl, Duration.ZERO, timeout, abandoned.minimalCompletionStage()))
                .toCompletableFuture();
        try {
            if (!(await(answer, name) instanceof Granted granted)) {
                return Optional.empty();
            }
            if (System.nanoTime() - sent >= ttl.toNanos()) {
                release(name, granted.token());
                return Optional.empty();
            }
            return Optional.of(granted.token());
        } catch (LockException unknown) {
            abandoned.complete(null);
            CompletableFuture<Void> unused = answer.thenAccept(late -> giveBack(name, late));
            throw unknown;
        }
    }

    /**
     * Refuses a time that the back end does not support, with a message in ShedLock's terms. A time
     * of more than a day is left to the server to check.
     */
    private void check(String name, Duration ttl) {
        LeaseOptions.Builder options = LeaseOptions.named(name);
        if (ttl.compareTo(LONGEST) <= 0) {
            try {
                backend.check(options.ttl(ttl).build());
            } catch (LeaseConfigException refused) {
                throw new LeaseConfigException(
                        "lockAtMostFor of the lock " + name + " does not fit: " + refused.getMessage());
            }
        }
    }

    private void giveBack(String name, AcquireResult late) {
        if (late instanceof Granted granted) {
            backend.release(request(name, granted.token(), timeUnit));
        }
    }

    /** Restarts the time of the grant; false if it has ended. */
    boolean renew(String name, String token, Duration time) {
        GrantRequest request = request(name, token, roundedUp(time));
        return twice(() -> backend.renew(request), name) instanceof RenewResult.Renewed;
    }

    /** Ends the grant; does nothing if it has ended. */
    void release(String name, String token) {
        GrantRequest request = request(name, token, timeUnit);
        twice(() -> backend.release(request), name);
    }

    private GrantRequest request(String name, String token, Duration ttl) {
        return new GrantRequest(name, 1, owner, token, ttl, timeout);
    }

    private Duration roundedUp(Duration time) {
        long units = time.plus(timeUnit).minusNanos(1).dividedBy(timeUnit);
        return timeUnit.multipliedBy(Math.max(1, units));
    }

    /**
     * Calls again if the first result is unknown, because a renewal or a release may be repeated.
     */
    private <T> T twice(Supplier<CompletionStage<T>> call, String name) {
        try {
            return await(call.get().toCompletableFuture(), name);
        } catch (LockException unknown) {
            return await(call.get().toCompletableFuture(), name);
        }
    }

    /**
     * Waits for the answer. An interrupt does not end the wait, which is short; the interrupt
     * status stays set.
     */
    private <T> T await(CompletableFuture<T> answer, String name) {
        try {
            return answer.copy()
                    .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } catch (CompletionException failed) {
            throw failure(name, failed.getCause() != null ? failed.getCause() : failed);
        }
    }

    private RuntimeException failure(String name, Throwable cause) {
        if (cause instanceof TimeoutException) {
            return new LockException(
                    "no answer for the lock " + name + " from " + backend.servers() + " in time", cause);
        }
        return cause instanceof RuntimeException refused && !(cause instanceof LeaseUnavailableException)
                ? refused
                : new LockException("the result for the lock " + name + " is unknown: " + cause.getMessage(), cause);
    }
}
