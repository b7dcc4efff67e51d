package io.flockgate.cli.run;

import io.flockgate.cli.run.ClaimOptions.WaitOption;
import io.flockgate.cli.run.Notices.ClientLog;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LostEvent;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Fences;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** The sub-command {@code flockgate lock}: holds a key until it receives a signal. */
public final class LockCommand {
    private static final Option<Duration> FOR = Option.flag("for", Durations.LEASE, "")
            .help("Hold the key for this time, print the token, and exit. The gateway releases the key then, or earlier"
                    + " by its token.");

    private static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "lock",
            """
            Usage: flockgate lock <key> [options]

            Holds a key until a signal (TERM, INT or HUP) arrives, then releases it. Prints the token for
            flockgate release and flockgate renew. With --for, the command exits at once and the key stays
            held.
            """,
            List.of(
                    FOR,
                    ClaimOptions.LIMIT,
                    WaitOption.WAIT,
                    ClaimOptions.LEASE,
                    ClaimOptions.NAME,
                    ClaimOptions.QUIET,
                    ClaimOptions.JSON.help("Print key, token and fence as JSON, and report each event as a line of JSON"
                            + " on standard error.")),
            ConnectionOptions.LINE,
            """
            Examples:
              flockgate lock deploy --wait 0
              T=$(flockgate lock deploy --for 10m) && make install; flockgate release deploy "$T"
            """);

    private LockCommand() {}

    public static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return run(args, environment, out, err, SignalInbox::open);
    }

    static int run(
            List<String> args,
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            Supplier<SignalInbox> inbox) {
        return SYNTAX.run(args, environment, out, err, arguments -> {
            String key = arguments.word(0, "the key");
            arguments.atMost(1);
            ConnectionOptions connection = ConnectionOptions.of(arguments);
            boolean json = arguments.get(ClaimOptions.JSON);
            Notices notices = new Notices(err, "lock", key, Notices.Style.of(arguments));
            if (arguments.given(FOR).isPresent()) {
                return keep(KeptLock.of(arguments, key, arguments.get(FOR)), connection, notices, json, out);
            }
            ClaimOptions options = ClaimOptions.of(arguments, key);
            return hold(options, connection, inbox.get(), notices, json, out);
        });
    }

    private static int keep(
            KeptLock lock, ConnectionOptions connection, Notices notices, boolean json, PrintStream out) {
        Granted granted = lock.claim(connection, notices)
                .orElseThrow(() ->
                        CommandException.withStatus(Statuses.NOT_ACQUIRED, "not acquired: others hold " + lock.key()));
        out.println(json ? document(lock.key(), granted.token(), granted.fence()) : granted.token());
        if (out.checkError()) {
            lock.release(connection, granted.token());
            throw CommandException.failed(CommandException.OUTPUT_LOST);
        }
        return 0;
    }

    private static int hold(
            ClaimOptions options,
            ConnectionOptions connection,
            SignalInbox signals,
            Notices notices,
            boolean json,
            PrintStream out) {
        try (CommandLease claim = CommandLease.of(connection, options, signals, notices)) {
            return switch (claim.acquire()) {
                case CommandLease.Outcome.Held held -> {
                    notices.acquired(RunCommand.fence(held.grant()));
                    out.println(
                            json
                                    ? document(
                                            options.key(),
                                            held.grant().token(),
                                            held.grant().fence())
                                    : held.grant().token());
                    if (out.checkError()) {
                        claim.release();
                        throw CommandException.failed(CommandException.OUTPUT_LOST);
                    }
                    notices.holding();
                    yield untilSignalOrLoss(claim, held.grant(), signals, notices);
                }
                case CommandLease.Outcome.Interrupted interrupted -> Statuses.SIGNALLED + interrupted.signal();
                case CommandLease.Outcome.NotAcquired ignored -> {
                    notices.notAcquired();
                    yield Statuses.NOT_ACQUIRED;
                }
            };
        } finally {
            notices.endWaitingLine();
        }
    }

    private static String document(String key, String token, OptionalLong fence) {
        Map<String, String> json = new LinkedHashMap<>();
        json.put("key", key);
        json.put("token", token);
        fence.ifPresent(number -> json.put("fence", Fences.decimal(number)));
        return Json.text(json);
    }

    private static int untilSignalOrLoss(CommandLease claim, LeaseGrant grant, SignalInbox signals, Notices notices) {
        CompletableFuture<LostEvent> lost = grant.lost().toCompletableFuture();
        Object first = CompletableFuture.anyOf(lost, signals.firstEnding()).join();
        if (first instanceof LostEvent event) {
            notices.lost(event.message());
            return Statuses.LOST;
        }
        claim.release();
        return 0;
    }

    /**
     * The claim of {@code flockgate lock --for}: its grant outlives this process, and lasts until
     * it is released by its token or its time has expired. Blocks.
     *
     * @param time the lease, in whole seconds
     */
    private record KeptLock(String key, long limit, Duration time, WaitOption patience, String name) {
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
}
