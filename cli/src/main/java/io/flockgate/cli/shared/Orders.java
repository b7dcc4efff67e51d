package io.flockgate.cli.shared;

import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.text.Fences;
import java.util.Optional;
import java.util.OptionalLong;

/** The common part of operators' orders: each needs a reason and the REST API. */
public final class Orders {
    public static final Option<String> REASON =
            Option.text("reason", "text").help("The reason, for the gateway's log.");

    /** A fence, without help yet. */
    public static final Option<Long> FENCE = Option.flag(
            "fence",
            OptionType.alike(
                    "fence", "16 hex digits or a decimal number, as flockgate show prints them", Orders::fence),
            "");

    private Orders() {}

    /** The option {@code --reason}, which is required. */
    public static String reason(Arguments arguments) {
        return arguments
                .text(REASON)
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> CommandException.usage("--reason is missing: it goes to the log (see --help)"));
    }

    private static Optional<Long> fence(String text) {
        OptionalLong fence = Fences.parse(text);
        return fence.isPresent() ? Optional.of(fence.getAsLong()) : Optional.empty();
    }

    /** Sends a request to a gateway, with the reason of an order if there is one. */
    public static ServerReply send(Arguments arguments, String method, String path, Optional<String> reason) {
        String query = reason.map(text -> (path.contains("?") ? "&" : "?") + "reason=" + RestClient.encoded(text))
                .orElse("");
        return new RestClient(ConnectionOptions.of(arguments)).ask(method, path + query);
    }
}
