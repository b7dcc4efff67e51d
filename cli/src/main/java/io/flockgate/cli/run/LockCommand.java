package io.flockgate.cli.run;

import io.flockgate.cli.run.ClaimOptions.WaitOption;
import io.flockgate.cli.run.Notices.ClientLog;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireRequest;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseBackend.AcquireResult.Granted;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LostEvent;
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

    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final ConnectionOptions connection;
    private final ClaimOptions options;
    private final Notices notices;
    private final boolean json;
    private final PrintStream out;

    private LockCommand(
            ConnectionOptions connection, ClaimOptions options, Notices notices, boolean json, PrintStream out) {
        this.connection = connection;
        this.options = options;
        this.notices = notices;
        this.json = json;
        this.out = out;
    }

    public static int run(CommandCall call) {
        return run(call, SignalInbox::open);
    }

    static int run(CommandCall call, Supplier<SignalInbox> inbox) {
        return SYNTAX.run(call, arguments -> {
            String key = arguments.word(0, "the key");
            arguments.atMost(1);
            ConnectionOptions connection = ConnectionOptions.of(arguments);
            boolean kept = arguments.given(FOR).isPresent();
            ClaimOptions options =
                    kept ? ClaimOptions.kept(arguments, key, arguments.get(FOR)) : ClaimOptions.of(arguments, key);
            Notices notices = new Notices(call.err(), "lock", key, Notices.Style.of(arguments));
            LockCommand command =
                    new LockCommand(connection, options, notices, arguments.get(ClaimOptions.JSON), call.out());
            return kept ? command.keep() : command.hold(inbox.get());
        });
    }

    /** Prints a grant, and releases it if the output is lost. */
    private void print(String token, OptionalLong fence, Runnable release) {
        out.println(json ? document(token, fence) : token);
        if (out.checkError()) {
            release.run();
            throw CommandException.failed(CommandException.OUTPUT_LOST);
        }
    }

    private String document(String token, OptionalLong fence) {
        Map<String, String> document = new LinkedHashMap<>();
        document.put("key", options.key());
        document.put("token", token);
        fence.ifPresent(number -> document.put("fence", Fences.decimal(number)));
        return Json.text(document);
    }

    private int hold(SignalInbox signals) {
        try (CommandLease claim = new CommandLease(connection, options, signals, notices)) {
            return claim.use(Statuses.NOT_ACQUIRED, grant -> {
                notices.acquired(RunCommand.fence(grant));
                print(grant.token(), grant.fence(), claim::release);
                notices.holding();
                return untilSignalOrLoss(claim, grant, signals);
            });
        }
    }

    private int untilSignalOrLoss(CommandLease claim, LeaseGrant grant, SignalInbox signals) {
        CompletableFuture<LostEvent> lost = grant.lost().toCompletableFuture();
        Object first = CompletableFuture.anyOf(lost, signals.firstEnding()).join();
        if (first instanceof LostEvent event) {
            notices.lost(event.message());
            return Statuses.LOST;
        }
        claim.release();
        return 0;
    }

    /** Makes a grant that outlives this process, until it is released or its time has expired. */
    private int keep() {
        Granted granted = kept().orElseThrow(() ->
                CommandException.withStatus(Statuses.NOT_ACQUIRED, "not acquired: others hold " + options.key()));
        print(granted.token(), granted.fence(), () -> release(granted.token()));
        return 0;
    }

    /**
     * @throws CommandException if the gateway refuses, or the result is unknown
     */
    private Optional<Granted> kept() {
        try {
            return connection
                    .ask(
                            client -> client.clientName(options.name()).environment(ClientLog.environment(notices)),
                            backend -> options.patience().claim(wait -> acquire(backend, wait)))
                    .map(LockCommand::withFence);
        } catch (ExecutionException e) {
            KeyQueue queue = new KeyQueue(connection, options.key(), options.name());
            throw unavailable(ConnectionOptions.failure(e) + queue.rightLimit(e, options.limit()));
        }
    }

    private Optional<Granted> acquire(LeaseBackend backend, Duration wait) throws ExecutionException {
        AcquireRequest request =
                new AcquireRequest(options.key(), options.limit(), options.name(), options.lease(), wait, ANSWER);
        AcquireResult answer = ConnectionOptions.answer(backend.acquire(request));
        return answer instanceof Granted granted ? Optional.of(granted) : Optional.empty();
    }

    /** Only grants with a fence outlive their connection. */
    private static Granted withFence(Granted granted) {
        if (granted.fence().isEmpty()) {
            throw unavailable("the server is no gateway: it cannot keep a lock without its client");
        }
        return granted;
    }

    /**
     * @throws CommandException if the result is unknown
     */
    private void release(String token) {
        GrantRequest grant =
                new GrantRequest(options.key(), options.limit(), options.name(), token, options.lease(), ANSWER);
        ReleaseResult unused = connection.call(backend -> backend.release(grant));
    }

    private static CommandException unavailable(String message) {
        return CommandException.withStatus(Statuses.UNAVAILABLE, message);
    }
}
