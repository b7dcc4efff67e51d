package io.flockgate.cli.shared;

import io.flockgate.cli.shared.RestClient.ServerReply;
import java.util.Optional;

/** What the orders of operators have in common: they need a reason and the REST API. */
public final class Orders {
    private Orders() {}

    /** The option {@code --reason}, which is required. */
    public static String reason(CommandArguments arguments) {
        return arguments
                .text("reason")
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> CommandException.usage("--reason is missing: it goes to the log (see --help)"));
    }

    /** Sends a request to a gateway, with the reason of an order if there is one. */
    public static ServerReply send(CommandArguments arguments, String method, String path, Optional<String> reason) {
        ConnectionOptions connection = ConnectionOptions.of(arguments, Servers.LOCAL_REST);
        String query = reason.map(text -> (path.contains("?") ? "&" : "?") + "reason=" + RestClient.encoded(text))
                .orElse("");
        try (RestClient client = RestClient.of(connection, connection.rest())) {
            return client.ask(method, path + query);
        }
    }
}
