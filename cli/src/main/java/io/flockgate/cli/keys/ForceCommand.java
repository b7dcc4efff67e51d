package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.Json;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Fences;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/**
 * The sub-command {@code flockgate release --force}: an operator releases a grant, or removes a
 * waiter from a queue.
 */
final class ForceCommand {
    static final Option<Boolean> FORCE =
            Option.off("force").help("Release as an operator, over the REST API, with a reason instead of the token.");
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
