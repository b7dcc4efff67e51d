package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.options.Arguments;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The claim of {@code flockgate lock --for}: its grant outlives this process, and lasts until it is
 * released by its token or its time has expired. Blocks.
 *
 * @param time the lease, in whole seconds
 * @param patience the maximum time in the queue
 */
record KeptLock(String key, long limit, Duration time, Duration patience, String name) {
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
        return new KeptLock(key, limit, time, ClaimOptions.patience(arguments), name);
    }

    /**
     * Claims the key, and waits for it. The first try does not wait: it shows at once whether a
     * server can be reached.
     *
     * @return the token; empty if others hold the key
     * @throws CommandException if the gateway refuses, or the result is unknown
     */
    Optional<String> claim(ConnectionOptions connection) {
        try {
            AcquireResult result = connection.call(
                    connection.servers().addresses(),
                    options -> options.clientName(name),
                    backend -> acquire(backend, Duration.ZERO)
                            .thenCompose(first -> first instanceof AcquireResult.Contended && !patience.isZero()
                                    ? acquire(backend, patience)
                                    : CompletableFuture.completedStage(first)));
            return result instanceof AcquireResult.Granted granted ? Optional.of(kept(granted)) : Optional.empty();
        } catch (LeaseConfigException e) {
            throw unavailable(e.getMessage() + new KeyQueue(connection, key, name).rightLimit(limit));
        } catch (CommandException e) {
            throw e.isFailure() ? unavailable(String.valueOf(e.getMessage())) : e;
        }
    }

    private CompletionStage<AcquireResult> acquire(LeaseBackend backend, Duration wait) {
        return backend.acquire(new AcquireRequest(key, limit, name, time, wait, ANSWER, new CompletableFuture<Void>()));
    }

    /** Only grants with a fence outlive their connection. */
    private static String kept(AcquireResult.Granted granted) {
        if (granted.fence().isEmpty()) {
            throw CommandException.failed("the server is no gateway: it cannot keep a lock without its client");
        }
        return granted.token();
    }

    private static CommandException unavailable(String message) {
        return CommandException.withStatus(Statuses.UNAVAILABLE, message);
    }
}
