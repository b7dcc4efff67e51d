package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.LineServer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Servers;
import io.flockgate.client.json.JsonObject;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
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
            """,
            List.of(
                    ForceCommand.FORCE,
                    ForceCommand.FENCE,
                    ForceCommand.WAITER,
                    ForceCommand.REASON,
                    ForceCommand.FOREIGN,
                    JSON),
            ConnectionOptions.LINE,
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

    private final String verb;
    private final Arguments arguments;
    private final String key;
    private final String token;

    private GrantCommand(String verb, Arguments arguments) {
        this.verb = verb;
        this.arguments = arguments;
        this.key = Keys.checked(arguments.word(0, "the key"));
        this.token = arguments.word(1, "the token");
        arguments.atMost(2);
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f) || token.isEmpty() || token.length() > 256) {
            throw CommandException.usage(
                    "the token is none: it has 1 to 256 printable ASCII characters without blanks");
        }
    }

    public static int run(
            String verb, List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return (verb.equals("renew") ? RENEW : RELEASE).run(args, environment, out, err, arguments -> {
            if (arguments.get(ForceCommand.FORCE)) {
                ForceCommand.run(arguments, out);
                return 0;
            }
            for (Option<?> forced : ForceCommand.NEED_FORCE) {
                if (arguments.given(forced).isPresent()) {
                    throw CommandException.usage(forced.dashed() + " needs --force (see --help)");
                }
            }
            new GrantCommand(verb, arguments).run(out);
            return 0;
        });
    }

    private void run(PrintStream out) {
        Duration lease = arguments.get(LEASE);
        ConnectionOptions connection = ConnectionOptions.of(arguments, Servers.LOCAL_LINE);
        boolean held = switch (connection.servers()) {
            case Servers.Line line -> overLine(new LineServer(connection, line), lease.toSeconds());
            case Servers.Rest rest -> overRest(connection, rest, lease.toSeconds());
        };
        if (!held) {
            throw CommandException.withStatus(NOT_HELD, "the token is not held: its lease is over, or it was released");
        }
        boolean renewed = verb.equals("renew");
        if (arguments.get(JSON)) {
            JsonObject.Builder json =
                    JsonObject.builder().put("key", key).put("event", renewed ? "renewed" : "released");
            out.println((renewed ? json.put("lease_s", lease.toSeconds()) : json).build());
        } else {
            out.println(renewed ? "renewed for " + Durations.shown(lease) : "released");
        }
    }

    private boolean overLine(LineServer client, long seconds) {
        String reply =
                verb.equals("renew") ? client.change("n", key, token + " " + seconds) : client.change("r", key, token);
        if (reply.equals("error_not_held")) {
            return false;
        }
        if (!reply.equals("ok") && !reply.startsWith("ok ")) {
            throw CommandException.failed(
                    LineServer.refusal(reply, "the " + (verb.equals("renew") ? "renewal" : "release")));
        }
        return true;
    }

    private boolean overRest(ConnectionOptions connection, Servers.Rest servers, long seconds) {
        try (RestClient client = RestClient.of(connection, servers)) {
            return overRest(client, seconds);
        }
    }

    private boolean overRest(RestClient client, long seconds) {
        String session = client.begin(JsonObject.EMPTY).text("session_id");
        try {
            JsonObject.Builder body = JsonObject.builder().put("token", token);
            if (verb.equals("renew")) {
                body.put("lease_ttl_s", seconds);
            }
            String path = "/v1/locks/" + RestClient.encoded(key) + "/" + verb;
            ServerReply reply =
                    client.ask("POST", path, Optional.of(session), body.build().toString());
            boolean held = !reply.answer().text("error").equals("not_held");
            if (held && !isDone(reply)) {
                throw reply.refusal();
            }
            return held;
        } finally {
            end(client, session);
        }
    }

    /**
     * Any other successful answer is a page from an intermediary, such as a proxy, and proves
     * nothing.
     */
    private boolean isDone(ServerReply reply) {
        return verb.equals("renew")
                ? reply.status() == 200 && reply.answer().hasNumber("remaining_s")
                : reply.status() == 204;
    }

    private static void end(RestClient client, String session) {
        try {
            ServerReply unused = client.ask("DELETE", "/v1/sessions/" + session);
        } catch (CommandException e) {
            // The session expires by itself. The result is that of the request.
        }
    }
}
