package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.text.Fences;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sub-commands {@code flockgate release} and {@code flockgate renew}, for a grant by its token.
 */
public final class GrantCommand {
    static final int NOT_HELD = 74;

    static final Option<Boolean> JSON = Option.off("json").help("Print the result as JSON.");
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
                    ForceCommand.FORCE,
                    ForceCommand.FENCE,
                    ForceCommand.WAITER,
                    ForceCommand.REASON,
                    ForceCommand.FOREIGN,
                    JSON),
            ConnectionOptions.REST,
            """
            Example: flockgate release deploy 18ea0b56688fb15ebd3ab007cbade02c
            """);
    private static final CommandSyntax RENEW =
            CommandSyntax.connecting("renew", """
            Usage: flockgate renew <key> <token> [--lease <time>] [--json]

            Restarts the lease of a grant. The token is that of flockgate lock, or FLOCKGATE_LEASE_TOKEN of
            flockgate run.
            """, List.of(LEASE, JSON), ConnectionOptions.LINE, """
            Example: flockgate renew deploy 18ea0b56688fb15ebd3ab007cbade02c
            """);

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
            if (arguments.get(ForceCommand.FORCE)) {
                ForceCommand.run(arguments, call.out());
                return 0;
            }
            for (Option<?> forced : ForceCommand.NEED_FORCE) {
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
            throw CommandException.withStatus(NOT_HELD, "the token is not held: its lease is over, or it was released");
        }
        if (arguments.get(JSON)) {
            Map<String, Object> json = KeyRules.event(key, renewed ? "renewed" : "released");
            if (renewed) {
                json.put("lease_s", lease.toSeconds());
            }
            out.println(Json.text(json));
        } else {
            out.println(renewed ? "renewed for " + Durations.shown(lease) : "released");
        }
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

    /**
     * The sub-command {@code flockgate release --force}: an operator releases a grant, or removes a
     * waiter from a queue.
     */
    private static final class ForceCommand {
        static final Option<Boolean> FORCE = Option.off("force")
                .help("Release as an operator, over the REST API, with a reason instead of the token.");
        static final Option<Long> FENCE =
                Orders.FENCE.help("With --force: release the grant with this fence, in either form that flockgate show"
                        + " prints, and no later one. The next waiter gets the slot.");
        static final Option<String> WAITER = Option.text("waiter", "id")
                .help("With --force: take this waiter out of the queue, by the id that flockgate show prints.");
        static final Option<Boolean> FOREIGN =
                Option.off("foreign").help("With --fence: also a slot that other software (consul lock) holds.");

        static final Option<String> REASON = Orders.REASON.help("With --force: the reason, for the log.");

        static final List<Option<?>> NEED_FORCE = List.of(FENCE, WAITER, REASON, FOREIGN);

        private ForceCommand() {}

        static void run(Arguments arguments, PrintStream out) {
            String key = KeyRules.checked(arguments.word(0, "the key"));
            arguments.atMost(1);
            Optional<String> fence = arguments.given(FENCE).map(given -> Fences.hex(arguments.get(FENCE)));
            Optional<String> waiter = arguments.text(WAITER);
            if (fence.isPresent() == waiter.isPresent()) {
                throw CommandException.usage(
                        "--force needs --reason, and either --fence or --waiter, as flockgate show prints them");
            }
            String reason = Orders.reason(arguments);
            if (waiter.isPresent() && arguments.get(FOREIGN)) {
                throw CommandException.usage("--foreign is for --fence only");
            }
            String path = "/v1/keys/" + RestClient.encoded(key)
                    + fence.map(hex -> "/holders/" + hex)
                            .orElseGet(() -> "/queue/" + RestClient.encoded(waiter.orElseThrow()))
                    + (arguments.get(FOREIGN) ? "?force=true" : "");
            ServerReply reply = Orders.send(arguments, "DELETE", path, Optional.of(reason));
            if (reply.status() != 204) {
                throw refusal(reply);
            }
            String done = fence.isPresent() ? "released" : "removed";
            out.println(
                    arguments.get(GrantCommand.JSON)
                            ? Json.text(KeyRules.event(key, done))
                            : fence.isPresent() ? done : "removed from the queue");
        }

        private static CommandException refusal(ServerReply reply) {
            return switch (reply.answer().text("error")) {
                case "not_held" -> notThere("the key is not held");
                case "fence_mismatch" -> notThere("another grant holds the key by now: see flockgate show");
                case "not_queued" -> notThere("no such waiter is in the queue: it has its grant, or has left");
                case "foreign_holder" ->
                    CommandException.failed("other software than Flockgate holds the slot: --foreign ends its hold");
                default -> reply.refusal();
            };
        }

        private static CommandException notThere(String message) {
            return CommandException.withStatus(GrantCommand.NOT_HELD, message);
        }
    }
}
