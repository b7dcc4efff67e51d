package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandArguments;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.client.json.JsonObject;
import io.flockgate.text.Fences;
import java.io.PrintStream;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The sub-command {@code flockgate release --force}: an operator releases a grant, or removes a
 * waiter from a queue.
 */
final class ForceCommand {
    private ForceCommand() {}

    static void run(CommandArguments arguments, PrintStream out) {
        String key = Keys.checked(arguments.word(0, "the key"));
        arguments.atMost(1);
        OptionalLong fence = arguments.fence();
        Optional<String> waiter = arguments.text("waiter");
        if (fence.isPresent() == waiter.isPresent()) {
            throw CommandException.usage(
                    "--force needs --reason, and either --fence or --waiter, as flockgate show prints them");
        }
        String reason = Orders.reason(arguments);
        if (waiter.isPresent() && arguments.has("foreign")) {
            throw CommandException.usage("--foreign is for --fence only");
        }
        String path = "/v1/keys/" + RestClient.encoded(key)
                + (fence.isPresent()
                        ? "/holders/" + Fences.hex(fence.getAsLong())
                        : "/queue/" + RestClient.encoded(waiter.orElseThrow()))
                + (arguments.has("foreign") ? "?force=true" : "");
        ServerReply reply = Orders.send(arguments, "DELETE", path, Optional.of(reason));
        if (reply.status() != 204) {
            throw refusal(reply);
        }
        String done = fence.isPresent() ? "released" : "removed";
        out.println(
                arguments.has("json")
                        ? JsonObject.builder()
                                .put("key", key)
                                .put("event", done)
                                .build()
                                .toString()
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
