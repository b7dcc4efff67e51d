package io.flockgate.cli.run;

import io.flockgate.cli.run.Supervisor.StartedCommand;
import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.client.LeaseGrant;
import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The sub-command {@code flockgate run}: runs a command while it holds a key. */
public final class RunCommand {
    private static final String DESCRIPTORS = "FLOCKGATE_DESCRIPTORS";

    private final RunOptions options;
    private final Map<String, String> environment;
    private final SignalInbox signals;
    private final Notices notices;

    private RunCommand(RunOptions options, Map<String, String> environment, SignalInbox signals, Notices notices) {
        this.options = options;
        this.environment = environment;
        this.signals = signals;
        this.notices = notices;
    }

    public static int run(CommandCall call) {
        return run(call, SignalInbox::open);
    }

    static int run(CommandCall call, Supplier<SignalInbox> inbox) {
        List<String> args = call.args();
        int dashes = args.indexOf("--");
        List<String> own = dashes < 0 ? args : args.subList(0, dashes);
        CommandCall ownCall = new CommandCall(own, call.environment(), call.out(), call.err());
        return RunOptions.SYNTAX.run(ownCall, arguments -> {
            if (dashes < 0 || dashes == args.size() - 1) {
                throw CommandException.usage("the command is missing: write it after -- (see --help)");
            }
            RunOptions options = RunOptions.of(arguments, args.subList(dashes + 1, args.size()));
            ConnectionOptions connection = ConnectionOptions.of(arguments);
            Notices notices = new Notices(call.err(), "run", options.claim().key(), Notices.Style.of(arguments));
            return new RunCommand(options, call.environment(), inbox.get(), notices).run(connection);
        });
    }

    private int run(ConnectionOptions connection) {
        try (CommandLease claim = new CommandLease(connection, options.claim(), signals, notices)) {
            return claim.use(options.notAcquiredStatus(), grant -> hold(claim, grant));
        }
    }

    private int hold(CommandLease claim, LeaseGrant grant) {
        notices.acquired(fence(grant));
        try (Guard guard = Guard.start(grant.token(), options.claim().grace(), options.onLoss())) {
            return start(guard, grant);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        } finally {
            claim.release();
        }
    }

    private int start(Guard guard, LeaseGrant grant) throws InterruptedException {
        Supervisor supervisor;
        // A signal that arrives between the start and the hand-over waits for this lock.
        synchronized (signals) {
            if (signals.firstEnding().isDone()) {
                return Statuses.SIGNALLED + signals.firstEnding().join().number();
            }
            StartedCommand command = launch(grant);
            guard.watch(command.process().pid());
            supervisor = new Supervisor(command, guard, grant, options, notices);
            signals.handTo(supervisor::pass);
        }
        return supervisor.supervise();
    }

    private StartedCommand launch(LeaseGrant grant) {
        Map<String, @Nullable String> changes = new HashMap<>();
        changes.put("FLOCKGATE_KEY", options.claim().key());
        changes.put("FLOCKGATE_LEASE_TOKEN", grant.token());
        // An outer run may have set it.
        changes.put("FLOCKGATE_FENCE", fence(grant).orElse(null));
        changes.put(DESCRIPTORS, null);
        restoreLocale(changes);
        Set<Integer> inherited = inherited();
        try {
            return inherited.isEmpty() ? launch(changes) : PosixSpawn.start(options.command(), changes, inherited);
        } catch (IOException e) {
            throw Statuses.endedBySignal(e)
                    .orElseGet(() -> notStarted(options.command().getFirst(), e));
        }
    }

    private StartedCommand launch(Map<String, @Nullable String> changes) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(options.command()).inheritIO();
        changes.forEach((name, value) -> {
            if (value == null) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
        });
        return StartedCommand.of(builder.start());
    }

    /** The descriptors above 2 that the launcher has inherited. */
    private Set<Integer> inherited() {
        return Stream.of(environment.getOrDefault(DESCRIPTORS, "").split(" "))
                .filter(each -> each.matches("[0-9]{1,9}"))
                .map(Integer::valueOf)
                .collect(Collectors.toSet());
    }

    /**
     * The launcher has set a UTF-8 locale, because Java decodes arguments by the locale. The
     * command gets the caller's locale.
     */
    private void restoreLocale(Map<String, @Nullable String> changes) {
        String callers = environment.get("FLOCKGATE_CALLER_LC_ALL");
        if (callers != null) {
            changes.put("FLOCKGATE_CALLER_LC_ALL", null);
            changes.put("LC_ALL", callers.isEmpty() ? null : callers);
        }
    }

    static Optional<String> fence(LeaseGrant grant) {
        return grant.fence().isPresent()
                ? Optional.of(Fences.decimal(grant.fence().getAsLong()))
                : Optional.empty();
    }

    private static CommandException notStarted(String program, IOException e) {
        // For example: Cannot run program "x": Exec failed, error: 13 (Permission denied)
        String reason = String.valueOf(e.getMessage()).replaceFirst("(?s).*\\(([^()]*)\\).*", "$1");
        boolean missing = reason.startsWith("No such file");
        return CommandException.withStatus(
                missing ? Statuses.NOT_FOUND : Statuses.NOT_EXECUTABLE,
                "cannot run " + Quoting.quoted(program) + ": " + (missing ? "no such command" : reason));
    }
}
