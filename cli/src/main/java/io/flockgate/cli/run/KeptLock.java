package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.options.Arguments;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The claim of {@code flockgate lock --for}: its grant outlives this process, and lasts until it is
 * released by its token or its time has expired. Blocks.
 *
 * @param time the lease, in whole seconds
 */
record KeptLock(String key, long limit, Duration time, WaitOption patience, String name) {
    private static final Duration ANSWER = Duration.ofSeconds(10);

    /**
     * @throws CommandException for a value that cannot be used
     */
    static KeptLock of(Arguments arguments, String key, Duration time) {
        if (arguments.given(ClaimOptions.LEASE).isPresent()) {
            throw CommandException.usage("--for is the lease: give it without --lease");
        }
        long limit = ClaimOptions.limit(arguments);
        String name = arguments
                .text(ClaimOptions.NAME)
                .orElse(ConnectOptions.defaults().clientName());
        LeaseOptions unused = ClaimOptions.checked(
                () -> LeaseOptions.named(key).limit(limit).ttl(time).build());
        ConnectOptions unusedToo =
                ClaimOptions.checked(() -> ConnectOptions.defaults().clientName(name));
        return new KeptLock(key, limit, time, WaitOption.of(arguments), name);
    }

    /**
     * Claims the key.
     *
     * @return the grant; empty if others hold the key
     * @throws CommandException if the gateway refuses, or the result is unknown
     */
    Optional<AcquireResult.Granted> claim(ConnectionOptions connection, Notices notices) {
        try {
            return connection
                    .ask(
                            options -> options.clientName(name).environment(ClientLog.environment(notices)),
                            backend -> patience.claim(wait -> acquire(backend, wait)))
                    .map(KeptLock::kept);
        } catch (LeaseConfigException e) {
            throw unavailable(e.getMessage() + new KeyQueue(connection, key, name).rightLimit(limit));
        } catch (CommandException e) {
            throw e.isFailure() ? unavailable(String.valueOf(e.getMessage())) : e;
        }
    }

    /**
     * Releases what was claimed.
     *
     * @throws CommandException if the result is unknown
     */
    void release(ConnectionOptions connection, String token) {
        GrantRequest grant = new GrantRequest(key, limit, name, token, time, ANSWER);
        ReleaseResult unused = connection.call(backend -> backend.release(grant));
    }

    private Optional<AcquireResult.Granted> acquire(LeaseBackend backend, Duration wait) throws ExecutionException {
        AcquireRequest request =
                new AcquireRequest(key, limit, name, time, wait, ANSWER, new CompletableFuture<Void>());
        AcquireResult answer = ConnectionOptions.answer(backend.acquire(request));
        return answer instanceof AcquireResult.Granted granted ? Optional.of(granted) : Optional.empty();
    }

    /** Only grants with a fence outlive their connection. */
    private static AcquireResult.Granted kept(AcquireResult.Granted granted) {
        if (granted.fence().isEmpty()) {
            throw CommandException.failed("the server is no gateway: it cannot keep a lock without its client");
        }
        return granted;
    }

    private static CommandException unavailable(String message) {
        return CommandException.withStatus(Statuses.UNAVAILABLE, message);
    }
}
