package io.flockgate.client;

import java.net.URI;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A server, or a storage, that grants leases. It offers three stateless calls and reports losses.
 * The client does all timing: {@link Flockgate#provider} makes leases from a back end.
 *
 * <p>Every call returns a stage, never blocks and never throws. A stage fails with {@link
 * LeaseUnavailableException} if the result is unknown, with {@link LeaseAuthException} or {@link
 * LeaseConfigException} if the server refuses. It must complete within the timeout of its request.
 * Calls may come from any thread.
 */
public interface LeaseBackend extends AutoCloseable {
    /**
     * Requests a slot, and waits in the queue for at most {@link AcquireRequest#maxWait()}. If the
     * server does not answer in time, the stage may stay open until it does, so that the caller can
     * release a late grant.
     *
     * @param abandoned completes when the caller no longer waits for the answer. The back end then
     *     ends the wait, and answers {@link AcquireResult.Granted} if the slot was granted
     *     nevertheless
     */
    CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned);

    /** The same for a caller that waits for the answer in any case. */
    default CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        return acquire(request, new CompletableFuture<>());
    }

    /** Restarts the time of a grant from now. */
    CompletionStage<RenewResult> renew(GrantRequest request);

    /** Ends a grant. */
    CompletionStage<ReleaseResult> release(GrantRequest request);

    /**
     * Reports that a grant has certainly ended, as early as possible and as often as convenient. A
     * loss before the call is reported as well. The default reports none.
     */
    default Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        return () -> {};
    }

    /**
     * Checks that this back end supports the options.
     *
     * @throws LeaseConfigException if not; the message says what can be done instead
     */
    default void check(LeaseOptions options) {}

    /** The name of this client for operators; see {@link ConnectOptions#clientName}. */
    default String clientName() {
        return ConnectOptions.defaults().clientName();
    }

    /** The addresses of the servers, for messages. */
    default String servers() {
        return "the server";
    }

    /**
     * The address of the REST API of a server that can be reached; empty if that server reports
     * none.
     */
    default CompletionStage<Optional<URI>> restApi(Duration timeout) {
        return CompletableFuture.completedStage(Optional.empty());
    }

    /**
     * The address of the server that requests for this grant go to at present, for messages; all
     * addresses if it is not known. Returns at once, and waits for no lock.
     */
    default String serverOf(GrantRequest grant) {
        return servers();
    }

    /**
     * Frees connections and threads. Grants that are still held stay until their time has expired.
     */
    @Override
    void close();

    /**
     * A claim to a slot.
     *
     * @param name the name to claim
     * @param limit the number of holders that the name may have
     * @param owner the claimant, unique to this incarnation of the client
     * @param ttl the time of the grant
     * @param maxWait the time to spend in the queue; zero to answer at once
     * @param timeout the time for the answer, beyond {@code maxWait}
     */
    record AcquireRequest(String name, long limit, String owner, Duration ttl, Duration maxWait, Duration timeout) {
        public AcquireRequest {
            Objects.requireNonNull(name);
        }
    }

    /**
     * A grant to be renewed or released.
     *
     * @param name the name that is held
     * @param limit the limit that it was claimed with
     * @param owner the owner that it was claimed by
     * @param token the token of the grant
     * @param ttl the time of the grant
     * @param timeout the time for the answer
     */
    record GrantRequest(String name, long limit, String owner, String token, Duration ttl, Duration timeout) {
        public GrantRequest {
            Objects.requireNonNull(name);
            Objects.requireNonNull(token);
        }

        @Override
        public String toString() {
            return "grant of " + name;
        }
    }

    /** The certain answer to a claim. */
    sealed interface AcquireResult {
        /**
         * The slot is ours.
         *
         * @param token the opaque name of the grant, never used twice
         * @param fence a number that rises with each grant of the name, unsigned; or empty
         * @param ttl the time that the server granted; it counts only if it is shorter than
         *     requested
         */
        record Granted(String token, OptionalLong fence, Duration ttl) implements AcquireResult {
            public Granted {
                Objects.requireNonNull(token);
            }

            @Override
            public String toString() {
                return "granted" + fenceText();
            }

            /** The fence in both of its forms, for messages; nothing without one. */
            String fenceText() {
                return fence.isEmpty()
                        ? ""
                        : ", fence " + HexFormat.of().toHexDigits(fence.getAsLong()) + " = "
                                + Long.toUnsignedString(fence.getAsLong());
            }
        }

        /** Other clients hold all slots, or held them until the wait ended. */
        record Contended() implements AcquireResult {}
    }

    /** The certain answer to a renewal. */
    sealed interface RenewResult {
        /**
         * Held for this time from now on.
         *
         * @param ttl the time that the server granted; it counts only if it is shorter than
         *     requested
         */
        record Renewed(Duration ttl) implements RenewResult {}

        /** This grant is not held, or no longer held. */
        record NotHeld() implements RenewResult {}
    }

    /** The certain answer to a release. */
    enum ReleaseResult {
        /** It was held, and is free now. */
        RELEASED,
        /** It was not held, or no longer held. */
        NOT_HELD
    }
}
