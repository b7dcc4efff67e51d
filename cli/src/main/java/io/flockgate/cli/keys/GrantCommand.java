package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The sub-commands {@code flockgate release} and {@code flockgate renew}, for a grant by its token.
 */
public final class GrantCommand {
    private static final Option<Duration> LEASE = Option.flag(
                    "lease",
                    OptionType.alike(
                            "time",
                            "whole seconds, at least 1s, like 30s, 5m or 1h",
                            text -> Durations.read(text).filter(Durations::isLease)),
                    "30s")
            .help("The new lease from now, in whole seconds, even if the old one had more left.");

    private static final CommandSyntax RELEASE = CommandSyntax.connecting(
            "release",
            """
            Usage: flockgate release <key> <token> [--json]
                   flockgate release <key> --force --fence <fence> --reason <text> [--foreign] [--json]
                   flockgate release <key> --force --waiter <id> --reason <text> [--json]

            Releases a grant by its token, or as an operator. The token is that of flockgate lock, or
            FLOCKGATE_LEASE_TOKEN of flockgate run.
            With --force, the holder loses this grant alone. The connection of a dflockd client is closed if it
            holds and waits for nothing else. Any other client is notified, or learns it when it next renews.
            """,
            List.of(
                    OrderCommand.FORCE,
                    OrderCommand.FENCE,
                    OrderCommand.WAITER,
                    OrderCommand.FORCE_REASON,
                    OrderCommand.FOREIGN,
                    KeyRules.JSON),
            ConnectionOptions.REST,
            """
            Example: flockgate release deploy 18ea0b56688fb15ebd3ab007cbade02c
            """);
    private static final CommandSyntax RENEW =
            CommandSyntax.connecting("renew", """
            Usage: flockgate renew <key> <token> [--lease <time>] [--json]

            Restarts the lease of a grant. The token is that of flockgate lock, or FLOCKGATE_LEASE_TOKEN of
            flockgate run.
            """, List.of(LEASE, KeyRules.JSON), ConnectionOptions.LINE, """
            Example: flockgate renew deploy 18ea0b56688fb15ebd3ab007cbade02c
            """);

    private static final List<Option<?>> NEED_FORCE =
            List.of(OrderCommand.FENCE, OrderCommand.WAITER, OrderCommand.FORCE_REASON, OrderCommand.FOREIGN);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String verb;
    private final Arguments arguments;
    private final String key;
    private final String token;

    private GrantCommand(String verb, Arguments arguments) {
        this.verb = verb;
        this.arguments = arguments;
        this.key = KeyRules.checked(arguments.word(0, "the key"));
        this.token = arguments.word(1, "the token");
        arguments.atMost(2);
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f) || token.isEmpty() || token.length() > 256) {
            throw CommandException.usage(
                    "the token is none: it has 1 to 256 printable ASCII characters without blanks");
        }
    }

    public static int run(String verb, CommandCall call) {
        return (verb.equals("renew") ? RENEW : RELEASE).run(call, arguments -> {
            if (arguments.get(OrderCommand.FORCE)) {
                return OrderCommand.force(arguments, call.out());
            }
            for (Option<?> forced : NEED_FORCE) {
                if (arguments.given(forced).isPresent()) {
                    throw CommandException.usage(forced.dashed() + " needs --force (see --help)");
                }
            }
            new GrantCommand(verb, arguments).run(call.out());
            return 0;
        });
    }

    private void run(PrintStream out) {
        Duration lease = arguments.get(LEASE);
        boolean renewed = verb.equals("renew");
        if (!(renewed ? isRenewed(lease) : isReleased(lease))) {
            throw CommandException.withStatus(
                    KeyRules.NOT_HELD, "the token is not held: its lease is over, or it was released");
        }
        Map<String, Object> event = KeyRules.event(key, renewed ? "renewed" : "released");
        if (renewed) {
            event.put("lease_s", lease.toSeconds());
        }
        KeyRules.print(out, arguments, event, renewed ? "renewed for " + Durations.shown(lease) : "released");
    }

    private boolean isRenewed(Duration lease) {
        GrantRequest grant = grant(lease);
        return ConnectionOptions.of(arguments).call(backend -> backend.renew(grant)) instanceof RenewResult.Renewed;
    }

    private boolean isReleased(Duration lease) {
        GrantRequest grant = grant(lease);
        return ConnectionOptions.of(arguments).call(backend -> backend.release(grant)) == ReleaseResult.RELEASED;
    }

    private GrantRequest grant(Duration lease) {
        return new GrantRequest(key, 1, "", token, lease, PATIENCE);
    }
}
