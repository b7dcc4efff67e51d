package io.flockgate.cli.keys;

import io.flockgate.cli.shared.Answer;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.LineServer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.Servers;
import io.flockgate.cli.shared.Table;
import io.flockgate.cli.shared.Terminal;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonValue;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Quoting;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The sub-command {@code flockgate ls}: the keys of a server. */
public final class ListCommand {
    private static final Option<String> PREFIX =
            Option.text("prefix", "text").help("Only keys that begin with this text.");
    private static final Option<String> HOLDER =
            Option.text("holder", "name").help("Only keys whose oldest holder has this name. Uses the REST API.");
    private static final Option<Boolean> WAITING = Option.off("waiting").help("Only keys that clients wait for.");
    private static final Option<String> SORT = Option.text("sort", "order")
            .showing("key")
            .help("key, waiters (most first) or held (longest first; uses the REST API).");
    private static final Option<Boolean> WATCH = Option.off("watch")
            .help("List again every two seconds until a signal arrives; with a REST API also when a key changes. With"
                    + " several addresses of the line protocol, without holders.");
    private static final Option<Boolean> JSON =
            Option.off("json").help("One JSON object per key, each on its own line.");

    private static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "ls", """
            Usage: flockgate ls [--prefix <text>] [--holder <name>] [--waiting] [--sort <order>]
                                [--watch] [--json]

            Lists locks and semaphores. A gateway without a REST API (--http-port) does not report
            who holds a key or for how long.
            """, List.of(PREFIX, HOLDER, WAITING, SORT, WATCH, JSON), ConnectionOptions.LINE, """
            Examples:
              flockgate ls
              flockgate ls --prefix deploy/ --watch --server http://gate-1:6389
            """);

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /**
     * The minimum pause between two lists of a watch. A list that takes longer is followed by a
     * pause of the same length, so that listing takes at most half of the time.
     */
    private static final Duration MIN_PAUSE = Duration.ofMillis(200);

    private static final int PAGE = 1000;

    private ListCommand() {}

    public static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        return run(args, environment, out, err, Terminal.seesOutput(), INTERVAL);
    }

    /**
     * @param interval the time after which a watch lists again even if nothing seems to have
     *     changed
     */
    static int run(
            List<String> args,
            Map<String, String> environment,
            PrintStream out,
            PrintStream err,
            boolean terminal,
            Duration interval) {
        return SYNTAX.run(args, environment, out, err, arguments -> {
            arguments.atMost(0);
            Comparator<Answer> order = order(arguments.text(SORT).orElse("key"));
            ConnectionOptions connection = ConnectionOptions.of(arguments, Servers.LOCAL_LINE);
            list(arguments, servers(arguments, connection), connection, keys -> {
                List<Answer> shown = keys.stream()
                        .filter(key -> isWanted(key, arguments))
                        .sorted(order)
                        .toList();
                show(shown, arguments, out, terminal);
                // The output is no longer read, as after | head.
                return arguments.get(WATCH) && !out.checkError() ? Optional.of(interval) : Optional.empty();
            });
            return 0;
        });
    }

    /**
     * The servers to ask. The line protocol does not report holders, so the REST API of its gateway
     * is preferred, and required if the list depends on holders. A watch of several gateways
     * continues when one of them fails, and therefore does not depend on the API of that one.
     */
    private static Servers servers(Arguments arguments, ConnectionOptions connection) {
        boolean needsRest = arguments.text(HOLDER).isPresent()
                || arguments.text(SORT).filter("held"::equals).isPresent();
        if (!needsRest && connection.servers() instanceof Servers.Line line) {
            if (arguments.get(WATCH) && line.addresses().size() > 1) {
                return line;
            }
            Optional<Servers.Rest> rest = new LineServer(connection, line).restIfAny();
            return rest.isPresent() && lists(connection, rest.get()) ? rest.get() : line;
        }
        return connection.rest();
    }

    /** Whether keys can be listed there: a firewall may admit the line protocol only. */
    private static boolean lists(ConnectionOptions connection, Servers.Rest rest) {
        try (RestClient client = RestClient.of(connection, rest)) {
            return client.ask("GET", "/v1/keys?limit=1").status() == 200;
        } catch (CommandException e) {
            return false;
        }
    }

    private static Comparator<Answer> order(String sort) {
        Comparator<Answer> byKey = Comparator.comparing(key -> key.text("key"));
        return switch (sort) {
            case "key" -> byKey;
            case "waiters" ->
                Comparator.<Answer>comparingDouble(key -> -key.number("waiters"))
                        .thenComparing(byKey);
            case "held" ->
                Comparator.<Answer>comparingDouble(key -> -key.number("oldest_hold_s"))
                        .thenComparing(byKey);
            default ->
                throw CommandException.usage("--sort must be key, waiters or held (got " + Quoting.quoted(sort) + ")");
        };
    }

    private static boolean isWanted(Answer key, Arguments arguments) {
        return (!arguments.get(WAITING) || key.number("waiters") > 0)
                && arguments.text(HOLDER).map(holder(key)::equals).orElse(true);
    }

    /** The name of the oldest holder, or its address; empty if the server reports neither. */
    private static String holder(Answer key) {
        Answer client = key.object("holder");
        return client.has("name") ? client.text("name") : client.text("address");
    }

    /** Shows a list. */
    private interface Display {
        /** Returns the time after which another list is due at the latest; empty for none. */
        Optional<Duration> show(List<Answer> keys);
    }

    private static void list(Arguments arguments, Servers servers, ConnectionOptions connection, Display display) {
        String prefix = arguments.text(PREFIX).orElse("");
        switch (servers) {
            case Servers.Line line -> {
                LineServer server = new LineServer(connection, line);
                list(() -> ofStats(server.stats(), prefix), new ChangeSignal(), display);
            }
            case Servers.Rest rest -> {
                try (RestClient client = RestClient.of(connection, rest);
                        ChangeSignal changes =
                                arguments.get(WATCH) ? ChangeSignal.of(client, prefix) : new ChangeSignal()) {
                    list(() -> ofPages(client, prefix), changes, display);
                }
            }
        }
    }

    private static void list(Supplier<List<Answer>> source, ChangeSignal changes, Display display) {
        Optional<Duration> wait = Optional.of(Duration.ZERO);
        while (wait.isPresent()) {
            changes.clear();
            long began = System.nanoTime();
            List<Answer> keys = source.get();
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            wait = display.show(keys);
            wait.ifPresent(most -> pause(changes, took.compareTo(MIN_PAUSE) > 0 ? took : MIN_PAUSE, most));
        }
    }

    /**
     * Waits for the minimum time, then for a change, but in total no longer than the maximum unless
     * the minimum is longer.
     */
    private static void pause(ChangeSignal changes, Duration least, Duration most) {
        try {
            Thread.sleep(least);
            changes.await(most.minus(least));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }

    private static void show(List<Answer> keys, Arguments arguments, PrintStream out, boolean terminal) {
        if (arguments.get(JSON)) {
            keys.forEach(key -> out.println(key.json()));
            return;
        }
        Table table = new Table("KEY", "KIND", "LIMIT", "HOLDERS", "WAITERS", "HELD", "IDLE", "HOLDER");
        keys.forEach(key -> table.add(
                key.text("key"),
                key.text("kind"),
                key.shown("limit"),
                key.shown("holders"),
                key.shown("waiters"),
                (key.isTrue("bounds") ? ">=" : "") + time(key, "oldest_hold_s"),
                time(key, "idle_s"),
                holder(key)));
        if (arguments.get(WATCH) && terminal) {
            out.print("\u001b[H\u001b[2J");
        }
        out.print(table.render());
        if (arguments.get(WATCH) && !terminal) {
            out.println();
        }
        out.flush();
    }

    private static String time(Answer key, String name) {
        return key.hasNumber(name) ? Durations.shown(Duration.ofSeconds((long) key.number(name))) : "";
    }

    /** The statistics in the form of the REST API's list. */
    private static List<Answer> ofStats(Answer stats, String prefix) {
        List<Answer> keys = new ArrayList<>();
        add(keys, stats, "locks", "lock", prefix);
        add(keys, stats, "semaphores", "semaphore", prefix);
        add(keys, stats, "idle_locks", "lock", prefix);
        add(keys, stats, "idle_semaphores", "semaphore", prefix);
        return keys;
    }

    private static void add(List<Answer> keys, Answer stats, String array, String kind, String prefix) {
        stats.objects(array).stream()
                .filter(entry -> entry.text("key").startsWith(prefix))
                .forEach(entry -> keys.add(ofEntry(entry, kind, array.startsWith("idle"))));
    }

    private static Answer ofEntry(Answer entry, String kind, boolean idle) {
        JsonObject.Builder key =
                JsonObject.builder().put("key", entry.text("key")).put("kind", kind);
        boolean lock = kind.equals("lock");
        if (lock || entry.has("limit")) {
            key.put("limit", lock ? 1 : (long) entry.number("limit"));
        }
        // A lock that is not idle but has only waiters is about to be granted.
        key.put("holders", idle ? 0 : lock ? 1 : (long) entry.number("holders"));
        key.put("waiters", (long) entry.number("waiters"));
        JsonValue time = entry.json().get("idle_s");
        if (idle && time != null) {
            key.put("idle_s", time);
        }
        return new Answer(key.build());
    }

    private static List<Answer> ofPages(RestClient client, String prefix) {
        List<Answer> keys = new ArrayList<>();
        String query = "/v1/keys?limit=" + PAGE + "&prefix=" + RestClient.encoded(prefix);
        String after = "";
        do {
            Answer page = client.ask("GET", query + after).expecting(200).answer();
            keys.addAll(page.expected("keys"));
            after = page.has("next") ? "&after=" + RestClient.encoded(page.text("next")) : "";
        } while (!after.isEmpty());
        return keys;
    }
}
