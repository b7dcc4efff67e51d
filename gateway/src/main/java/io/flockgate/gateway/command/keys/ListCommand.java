package io.flockgate.gateway.command.keys;

import io.flockgate.gateway.command.shared.CommandArguments;
import io.flockgate.gateway.command.shared.CommandException;
import io.flockgate.gateway.command.shared.CommandSyntax;
import io.flockgate.gateway.command.shared.ConnectionOptions;
import io.flockgate.gateway.command.shared.Durations;
import io.flockgate.gateway.command.shared.LineServer;
import io.flockgate.gateway.command.shared.RestClient;
import io.flockgate.gateway.command.shared.RestClient.ServerReply;
import io.flockgate.gateway.command.shared.Servers;
import io.flockgate.gateway.command.shared.Table;
import io.flockgate.gateway.command.shared.Terminal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sub-command {@code flockgate ls}: the keys of a server. */
public final class ListCommand {
    static final CommandSyntax SYNTAX = CommandSyntax.connecting("ls", List.of("prefix"), List.of("watch", "json"));

    static final String HELP =
            """
            Usage: flockgate ls [--prefix <text>] [--watch] [--json]

            Lists locks and semaphores. The line protocol does not tell how long a key has been held: for that
            give --server http://….

              --prefix <text>             Only keys that begin with this text.
              --watch                     List again every two seconds, until a signal.
              --json                      One JSON object for each key, on a line of its own.
            """ + ConnectionOptions.USAGE.formatted("127.0.0.1:6388") + ConnectionOptions.SECRETS_USAGE + """
              -h, --help                  Print this text.

            Examples:
              flockgate ls
              flockgate ls --prefix deploy/ --watch --server http://gate-1:6389
            """;

    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final int PAGE = 1000;

    private ListCommand() {}

    /**
     * Runs the sub-command and returns the exit status.
     *
     * @param args what follows {@code ls}
     */
    public static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return run(args, environment, out, err, Terminal.seesOutput());
    }

    static int run(
            List<String> args, Map<String, String> environment, PrintStream out, PrintStream err, boolean terminal) {
        try {
            CommandArguments arguments = CommandArguments.of(SYNTAX, args, environment);
            if (arguments.has("help")) {
                out.print(HELP);
                return 0;
            }
            arguments.atMost(0);
            ConnectionOptions connection = ConnectionOptions.of(arguments, Servers.LOCAL_LINE);
            list(arguments, connection, out, terminal);
            return 0;
        } catch (CommandException e) {
            err.println("flockgate ls: " + e.getMessage());
            return e.status();
        }
    }

    private static void list(
            CommandArguments arguments, ConnectionOptions connection, PrintStream out, boolean terminal) {
        String prefix = arguments.text("prefix").orElse("");
        while (true) {
            List<JsonObject> keys = switch (connection.servers()) {
                case Servers.Line line -> ofStats(new LineServer(connection, line).stats(), prefix);
                case Servers.Rest rest -> ofPages(connection, rest, prefix);
            };
            keys.sort(Comparator.comparing(key -> key.getString("key", "")));
            show(keys, arguments, out, terminal);
            // Nobody reads any more, as after | head.
            if (!arguments.has("watch") || out.checkError()) {
                return;
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }

    private static void show(List<JsonObject> keys, CommandArguments arguments, PrintStream out, boolean terminal) {
        if (arguments.has("json")) {
            keys.forEach(key -> out.println(key.encode()));
            return;
        }
        Table table = new Table("KEY", "KIND", "LIMIT", "HOLDERS", "WAITERS", "HELD", "IDLE");
        keys.forEach(key -> table.add(
                key.getString("key", ""),
                key.getString("kind", ""),
                number(key, "limit"),
                number(key, "holders"),
                number(key, "waiters"),
                time(key, "oldest_hold_s"),
                time(key, "idle_s")));
        if (arguments.has("watch") && terminal) {
            out.print("\u001b[H\u001b[2J");
        }
        out.print(table.render());
        if (arguments.has("watch") && !terminal) {
            out.println();
        }
        out.flush();
    }

    private static String number(JsonObject key, String name) {
        return String.valueOf(key.getValue(name, ""));
    }

    private static String time(JsonObject key, String name) {
        @Nullable Double seconds = key.getDouble(name);
        return seconds == null ? "" : Durations.shown(Duration.ofSeconds(seconds.longValue()));
    }

    /** The statistics in the form of the REST API's list. */
    private static List<JsonObject> ofStats(JsonObject stats, String prefix) {
        List<JsonObject> keys = new ArrayList<>();
        add(keys, stats, "locks", "lock", prefix);
        add(keys, stats, "semaphores", "semaphore", prefix);
        add(keys, stats, "idle_locks", "lock", prefix);
        add(keys, stats, "idle_semaphores", "semaphore", prefix);
        return keys;
    }

    private static void add(List<JsonObject> keys, JsonObject stats, String array, String kind, String prefix) {
        for (Object each : stats.getJsonArray(array, new JsonArray())) {
            if (each instanceof JsonObject entry && entry.getString("key", "").startsWith(prefix)) {
                boolean idle = array.startsWith("idle");
                boolean lock = kind.equals("lock");
                JsonObject key =
                        new JsonObject().put("key", entry.getString("key")).put("kind", kind);
                if (lock || entry.containsKey("limit")) {
                    key.put("limit", lock ? 1 : entry.getLong("limit"));
                }
                // A lock that is not idle and has waiters only is about to be granted.
                key.put("holders", idle ? 0 : lock ? 1 : entry.getLong("holders"));
                key.put("waiters", entry.getLong("waiters", 0L));
                if (idle) {
                    key.put("idle_s", entry.getDouble("idle_s"));
                }
                keys.add(key);
            }
        }
    }

    private static List<JsonObject> ofPages(ConnectionOptions connection, Servers.Rest servers, String prefix) {
        try (RestClient client = RestClient.of(connection, servers)) {
            return ofPages(client, prefix);
        }
    }

    private static List<JsonObject> ofPages(RestClient client, String prefix) {
        List<JsonObject> keys = new ArrayList<>();
        String query = "/v1/keys?limit=" + PAGE + "&prefix=" + RestClient.encoded(prefix);
        String after = "";
        do {
            ServerReply reply = client.ask("GET", query + after);
            if (reply.status() != 200) {
                throw reply.refusal();
            }
            JsonObject page = reply.json();
            if (!(page.getValue("keys") instanceof JsonArray array)) {
                throw CommandException.failed("the answer is not a gateway's: is --server right?");
            }
            array.forEach(each -> keys.add((JsonObject) each));
            after = page.containsKey("next") ? "&after=" + RestClient.encoded(page.getString("next")) : "";
        } while (!after.isEmpty());
        return keys;
    }
}
