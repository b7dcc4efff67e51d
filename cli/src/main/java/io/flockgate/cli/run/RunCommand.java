package io.flockgate.cli.run;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.client.Grant;
import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The sub-command {@code flockgate run}: runs a command while it holds a key. */
public final class RunCommand {
    private final RunOptions options;
    private final SignalInbox signals;
    private final Notices notices;

    private RunCommand(RunOptions options, SignalInbox signals, Notices notices) {
        this.options = options;
        this.signals = signals;
        this.notices = notices;
    }

    public static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return run(args, environment, out, err, SignalInbox::open);
    }

    static int run(
            List<String> args,
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            Supplier<SignalInbox> inbox) {
        int dashes = args.indexOf("--");
        List<String> own = dashes < 0 ? args : args.subList(0, dashes);
        return RunOptions.SYNTAX.run(own, environment, out, err, arguments -> {
            if (dashes < 0 || dashes == args.size() - 1) {
                throw CommandException.usage("the command is missing: write it after -- (see --help)");
            }
            return run(RunOptions.of(arguments, args.subList(dashes + 1, args.size())), err, inbox.get());
        });
    }

    private static int run(RunOptions options, PrintStream err, SignalInbox signals) {
        Notices notices = new Notices(err, "run", options.claim().key(), options.style());
        RunCommand command = new RunCommand(options, signals, notices);
        try (Claim claim = Claim.of(options.connection(), options.claim(), signals, notices)) {
            return switch (claim.acquire()) {
                case Claim.Outcome.Held held -> command.hold(claim, held.grant());
                case Claim.Outcome.Interrupted interrupted -> Statuses.SIGNALLED + interrupted.signal();
                case Claim.Outcome.NotAcquired ignored -> {
                    notices.notAcquired();
                    yield options.notAcquiredStatus();
                }
            };
        } finally {
            notices.endWaitingLine();
        }
    }

    private int hold(Claim claim, Grant grant) {
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

    private int start(Guard guard, Grant grant) throws InterruptedException {
        Process process;
        Supervisor supervisor;
        // A signal that arrives between the start and the hand-over waits for this lock.
        synchronized (signals) {
            if (signals.firstEnding().isDone()) {
                return Statuses.SIGNALLED + signals.firstEnding().join().number();
            }
            process = launch(grant);
            guard.watch(process.pid());
            supervisor = new Supervisor(process, guard, grant, options, notices);
            signals.handTo(supervisor::pass);
        }
        return supervisor.supervise();
    }

    private Process launch(Grant grant) {
        ProcessBuilder builder = new ProcessBuilder(options.command()).inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put("FLOCKGATE_KEY", options.claim().key());
        environment.put("FLOCKGATE_LEASE_TOKEN", grant.token());
        // An outer run may have set it.
        environment.remove("FLOCKGATE_FENCE");
        restoreLocale(environment);
        fence(grant).ifPresent(number -> environment.put("FLOCKGATE_FENCE", number));
        try {
            return builder.start();
        } catch (IOException e) {
            throw notStarted(options.command().getFirst(), e);
        }
    }

    /**
     * The launcher has set a UTF-8 locale, because Java decodes arguments by the locale. The
     * command gets the caller's locale.
     */
    private static void restoreLocale(Map<String, String> environment) {
        String callers = environment.remove("FLOCKGATE_CALLER_LC_ALL");
        if (callers == null) {
            return;
        }
        if (callers.isEmpty()) {
            environment.remove("LC_ALL");
        } else {
            environment.put("LC_ALL", callers);
        }
    }

    static Optional<String> fence(Grant grant) {
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
