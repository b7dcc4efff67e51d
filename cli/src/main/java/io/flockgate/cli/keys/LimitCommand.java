package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Json;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.options.Arguments;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sub-command {@code flockgate limit}: an operator changes the limit of a semaphore. */
public final class LimitCommand {
    private static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "limit", """
            Usage: flockgate limit <key> <n> --reason <text> [--json]

            Changes the limit of a semaphore that is in use. A higher limit grants waiters at once. With a lower
            one all holders stay, and no slot is granted until enough of them have gone. New claims must then
            give this limit. An idle semaphore takes the limit of its next claim without an order.
            """, List.of(Orders.REASON, GrantCommand.JSON), ConnectionOptions.REST, """
            Example: flockgate limit pool 4 --reason "two more workers"
            """);

    private LimitCommand() {}

    public static int run(CommandCall call) {
        return SYNTAX.run(call, arguments -> {
            run(arguments, call.out());
            return 0;
        });
    }

    private static void run(Arguments arguments, PrintStream out) {
        String key = KeyRules.checked(arguments.word(0, "the key"));
        String limit = arguments.word(1, "the limit");
        arguments.atMost(2);
        if (!limit.matches("[1-9][0-9]{0,18}")) {
            throw CommandException.usage("the limit must be a whole number of at least 1");
        }
        String path = "/v1/keys/" + RestClient.encoded(key) + "/limit?limit=" + limit;
        ServerReply reply = Orders.send(arguments, "POST", path, Optional.of(Orders.reason(arguments)));
        if (reply.status() != 204) {
            throw refusal(reply);
        }
        if (arguments.get(GrantCommand.JSON)) {
            Map<String, Object> json = KeyRules.event(key, "limit");
            json.put("limit", Long.parseLong(limit));
            out.println(Json.text(json));
        } else {
            out.println("limit " + limit);
        }
    }

    private static CommandException refusal(ServerReply reply) {
        return switch (reply.answer().text("error")) {
            case "unknown_key" -> CommandException.withStatus(GrantCommand.NOT_HELD, "there is no such key");
            case "limit_mismatch" -> CommandException.failed("the key is not a semaphore");
            default -> reply.refusal();
        };
    }
}
