package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Fences;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The orders of operators about keys and about one gateway: {@code flockgate limit}, {@code drain}
 * and {@code undrain}, and {@code release --force}.
 */
public final class OrderCommand {
    static final Option<Boolean> FORCE =
            Option.off("force").help("Release as an operator, over the REST API, with a reason instead of the token.");
    static final Option<Long> FENCE =
            Orders.FENCE.help("With --force: release the grant with this fence, in either form that flockgate show"
                    + " prints, and no later one. The next waiter gets the slot.");
    static final Option<String> WAITER = Option.text("waiter", "id")
            .help("With --force: take this waiter out of the queue, by the id that flockgate show prints.");
    static final Option<String> FORCE_REASON = Orders.REASON.help("With --force: the reason, for the log.");
    static final Option<Boolean> FOREIGN =
            Option.off("foreign").help("With --fence: also a slot that other software (consul lock) holds.");

    private static final CommandSyntax LIMIT =
            CommandSyntax.connecting("limit", """
            Usage: flockgate limit <key> <n> --reason <text> [--json]

            Changes the limit of a semaphore that is in use. A higher limit grants waiters at once. With a lower
            one all holders stay, and no slot is granted until enough of them have gone. New claims must then
            give this limit. An idle semaphore takes the limit of its next claim without an order.
            """, List.of(Orders.REASON, KeyRules.JSON), ConnectionOptions.REST, """
            Example: flockgate limit pool 4 --reason "two more workers"
            """);
    private static final CommandSyntax DRAIN =
            CommandSyntax.connecting("drain", """
            Usage: flockgate drain --reason <text>

            Stops a gateway from accepting new claims; its /ready answers 503. Waiting claims are still granted,
            and holders can renew and release. FleetLock grants no new slots, but accepts releases. Other
            gateways are not affected. A restart ends the drain. Needs the REST API of one gateway.
            """, List.of(Orders.REASON), ConnectionOptions.REST, """
            Example: flockgate drain --reason "new kernel" --server gate-1
            """);
    private static final CommandSyntax UNDRAIN =
            CommandSyntax.connecting("undrain", """
            Usage: flockgate undrain [--reason <text>]

            Lets a gateway accept claims again. Needs the REST API of one gateway.
            """, List.of(Orders.REASON), ConnectionOptions.REST, """
            Example: flockgate undrain --server gate-1
            """);

    private final Arguments arguments;
    private final PrintStream out;

    private OrderCommand(Arguments arguments, PrintStream out) {
        this.arguments = arguments;
        this.out = out;
    }

    public static int limit(CommandCall call) {
        return LIMIT.run(call, arguments -> new OrderCommand(arguments, call.out()).changeLimit());
    }

    public static int drain(CommandCall call) {
        return DRAIN.run(
                call,
                arguments -> new OrderCommand(arguments, call.out())
                        .tell("drain", Optional.of(Orders.reason(arguments)), "draining: no new claims"));
    }

    public static int undrain(CommandCall call) {
        return UNDRAIN.run(
                call,
                arguments -> new OrderCommand(arguments, call.out())
                        .tell("undrain", arguments.text(Orders.REASON), "accepts claims again"));
    }

    /** Releases a grant, or removes a waiter from a queue. */
    static int force(Arguments arguments, PrintStream out) {
        return new OrderCommand(arguments, out).force();
    }

    private int changeLimit() {
        String key = KeyRules.checked(arguments.word(0, "the key"));
        String limit = arguments.word(1, "the limit");
        arguments.atMost(2);
        if (!limit.matches("[1-9][0-9]{0,18}")) {
            throw CommandException.usage("the limit must be a whole number of at least 1");
        }
        String path = "/v1/keys/" + RestClient.encoded(key) + "/limit?limit=" + limit;
        give("POST", path, Optional.of(Orders.reason(arguments)));
        Map<String, Object> event = KeyRules.event(key, "limit");
        event.put("limit", Long.parseLong(limit));
        KeyRules.print(out, arguments, event, "limit " + limit);
        return 0;
    }

    private int tell(String verb, Optional<String> reason, String done) {
        arguments.atMost(0);
        if (ConnectionOptions.of(arguments).servers().addresses().size() > 1) {
            throw CommandException.usage(verb + " is for one gateway: give one address");
        }
        give("POST", "/v1/" + verb, reason);
        out.println(done);
        return 0;
    }

    private int force() {
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
        give("DELETE", path, Optional.of(reason));
        String done = fence.isPresent() ? "released" : "removed";
        String text = fence.isPresent() ? done : "removed from the queue";
        KeyRules.print(out, arguments, KeyRules.event(key, done), text);
        return 0;
    }

    private void give(String method, String path, Optional<String> reason) {
        ServerReply reply = Orders.send(arguments, method, path, reason);
        if (reply.status() != 204) {
            throw refusal(reply);
        }
    }

    private static CommandException refusal(ServerReply reply) {
        return switch (reply.answer().text("error")) {
            case "unknown_key" -> notThere("there is no such key");
            case "limit_mismatch" -> CommandException.failed("the key is not a semaphore");
            case "not_held" -> notThere("the key is not held");
            case "fence_mismatch" -> notThere("another grant holds the key by now: see flockgate show");
            case "not_queued" -> notThere("no such waiter is in the queue: it has its grant, or has left");
            case "foreign_holder" ->
                CommandException.failed("other software than Flockgate holds the slot: --foreign ends its hold");
            default -> reply.refusal();
        };
    }

    private static CommandException notThere(String message) {
        return CommandException.withStatus(KeyRules.NOT_HELD, message);
    }
}
