package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandArguments;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.LineServer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Servers;
import io.flockgate.client.json.JsonObject;
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

    private final String verb;
    private final CommandArguments arguments;
    private final String key;
    private final String token;

    private GrantCommand(String verb, CommandArguments arguments) {
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

    private static final String FORCE_OPTIONS = """
              --force                     Release as an operator, over the REST API, with a reason instead of
                                          the token.
              --fence <fence>             With --force: release the grant with this fence, in either form that
                                          flockgate show prints, and no later one. The next waiter gets the
                                          slot.
              --waiter <id>               With --force: take this waiter out of the queue, by the id that
                                          flockgate show prints.
              --reason <text>             With --force: the reason, for the log.
              --foreign                   With --fence: also a slot that other software (consul lock) holds.
            """;

    private static String help(String verb) {
        String lease = verb.equals("renew") ? " [--lease <time>]" : "";
        String option = verb.equals("renew")
                ? "  --lease <time>              default 30s\n      The new lease from now, in whole seconds, even if the old one had more left.\n"
                : FORCE_OPTIONS;
        String does = verb.equals("renew")
                ? "Restarts the lease of a grant."
                : "Releases a grant by its token, or as an operator.";
        String forced = verb.equals("renew")
                ? ""
                : "       flockgate release <key> --force --fence <fence> --reason <text> [--foreign] [--json]\n"
                        + "       flockgate release <key> --force --waiter <id> --reason <text> [--json]\n";
        return "Usage: flockgate " + verb + " <key> <token>" + lease + " [--json]\n" + forced + "\n" + does
                + " The token is that of flockgate lock, or\nFLOCKGATE_LEASE_TOKEN of flockgate run.\n\n" + option
                + "  --json                      Print the result as JSON.\n"
                + ConnectionOptions.USAGE.formatted("127.0.0.1:6388") + ConnectionOptions.LAST_USAGE
                + "\nExample: flockgate " + verb
                + " deploy 18ea0b56688fb15ebd3ab007cbade02c\n";
    }

    public static int run(
            String verb, List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        boolean renews = verb.equals("renew");
        List<String> texts = renews ? List.of("lease") : List.of("fence", "waiter", "reason");
        List<String> switches = renews ? List.of("json") : List.of("json", "force", "foreign");
        CommandSyntax syntax = CommandSyntax.connecting(verb, texts, switches);
        return syntax.run(help(verb), args, environment, out, err, arguments -> {
            if (arguments.has("force")) {
                ForceCommand.run(arguments, out);
                return 0;
            }
            for (String forced : List.of("fence", "waiter", "reason", "foreign")) {
                if (arguments.has(forced)) {
                    throw CommandException.usage("--" + forced + " needs --force (see --help)");
                }
            }
            new GrantCommand(verb, arguments).run(out);
            return 0;
        });
    }

    private void run(PrintStream out) {
        Duration lease = Durations.of("--lease", arguments.text("lease").orElse("30s"), "30s, 5m or 1h");
        if (lease.isZero() || lease.toNanosPart() != 0) {
            throw CommandException.usage("--lease must be whole seconds, at least 1s");
        }
        ConnectionOptions connection = ConnectionOptions.of(arguments, Servers.LOCAL_LINE);
        boolean held = switch (connection.servers()) {
            case Servers.Line line -> overLine(new LineServer(connection, line), lease.toSeconds());
            case Servers.Rest rest -> overRest(connection, rest, lease.toSeconds());
        };
        if (!held) {
            throw CommandException.withStatus(NOT_HELD, "the token is not held: its lease is over, or it was released");
        }
        boolean renewed = verb.equals("renew");
        if (arguments.has("json")) {
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
