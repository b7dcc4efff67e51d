package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json;
import io.flockgate.cli.shared.Json.JsonAnswer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.Table;
import io.flockgate.cli.shared.Terminal;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The sub-command {@code flockgate ls}: the keys of a server. */
public final class ListCommand {
    private static final Option<String> PREFIX =
            Option.text("prefix", "text").help("Only keys that begin with this text.");
    private static final Option<String> HOLDER =
            Option.text("holder", "name").help("Only keys whose oldest holder has this name.");
    private static final Option<Boolean> WAITING = Option.off("waiting").help("Only keys that clients wait for.");
    private static final Option<Comparator<JsonAnswer>> SORT = Option.flag(
                    "sort", OptionType.alike("order", "key, waiters or held", ListCommand::order), "key")
            .help("key, waiters (most first) or held (longest first).");
    private static final Option<Boolean> WATCH = Option.off("watch")
            .help("List again when a key changes, and at least every two seconds, until a signal arrives.");
    private static final Option<Boolean> JSON =
            Option.off("json").help("One JSON object per key, each on its own line.");

    private static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "ls", """
            Usage: flockgate ls [--prefix <text>] [--holder <name>] [--waiting] [--sort <order>]
                                [--watch] [--json]

            Lists locks and semaphores. Uses the REST API.
            """, List.of(PREFIX, HOLDER, WAITING, SORT, WATCH, JSON), ConnectionOptions.REST, """
            Examples:
              flockgate ls
              flockgate ls --prefix deploy/ --watch --server gate-1,gate-2
            """);

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /**
     * The minimum pause between two lists of a watch. A list that takes longer is followed by a
     * pause of the same length, so that listing takes at most half of the time.
     */
    private static final Duration MIN_PAUSE = Duration.ofMillis(200);

    private static final Duration AGAIN = Duration.ofSeconds(10);

    private static final int PAGE = 1000;

    private final Arguments arguments;
    private final Comparator<JsonAnswer> order;
    private final RestClient client;
    private final String prefix;
    private final PrintStream out;
    private final boolean terminal;

    private ListCommand(Arguments arguments, PrintStream out, boolean terminal) {
        this.arguments = arguments;
        this.order = arguments.get(SORT);
        this.client = new RestClient(ConnectionOptions.of(arguments));
        this.prefix = arguments.text(PREFIX).orElse("");
        this.out = out;
        this.terminal = terminal;
    }

    public static int run(CommandCall call) {
        return run(call, Terminal.seesOutput(), INTERVAL);
    }

    /**
     * @param interval the time after which a watch lists again even if nothing seems to have
     *     changed
     */
    static int run(CommandCall call, boolean terminal, Duration interval) {
        return SYNTAX.run(call, arguments -> {
            arguments.atMost(0);
            ListCommand list = new ListCommand(arguments, call.out(), terminal);
            if (arguments.get(WATCH)) {
                list.watch(interval);
            } else {
                list.show(list.keys());
            }
            return 0;
        });
    }

    /** Lists until the output is no longer read, as after {@code | head}. */
    private void watch(Duration interval) {
        try (ChangeSignal changes = new ChangeSignal(client, prefix, AGAIN)) {
            while (true) {
                changes.clear();
                long began = System.nanoTime();
                List<JsonAnswer> keys = keys();
                Duration took = Duration.ofNanos(System.nanoTime() - began);
                show(keys);
                if (out.checkError()) {
                    return;
                }
                pause(changes, took.compareTo(MIN_PAUSE) > 0 ? took : MIN_PAUSE, interval);
            }
        }
    }

    private static Optional<Comparator<JsonAnswer>> order(String sort) {
        Comparator<JsonAnswer> byKey = Comparator.comparing(key -> key.text("key"));
        return switch (sort) {
            case "key" -> Optional.of(byKey);
            case "waiters" -> Optional.of(highestFirst("waiters").thenComparing(byKey));
            case "held" -> Optional.of(highestFirst("oldest_hold_s").thenComparing(byKey));
            default -> Optional.empty();
        };
    }

    private static Comparator<JsonAnswer> highestFirst(String number) {
        return Comparator.comparingDouble(key -> -key.number(number));
    }

    private boolean isWanted(JsonAnswer key) {
        return (!arguments.get(WAITING) || key.number("waiters") > 0)
                && arguments.text(HOLDER).map(holder(key)::equals).orElse(true);
    }

    /** The name of the oldest holder, or its address; empty without a holder. */
    private static String holder(JsonAnswer key) {
        JsonAnswer client = key.object("holder");
        return client.has("name") ? client.text("name") : client.text("address");
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

    private void show(List<JsonAnswer> keys) {
        List<JsonAnswer> shown =
                keys.stream().filter(this::isWanted).sorted(order).toList();
        if (arguments.get(JSON)) {
            shown.forEach(key -> out.println(Json.text(key.fields())));
            return;
        }
        Table table = new Table("KEY", "KIND", "LIMIT", "HOLDERS", "WAITERS", "HELD", "IDLE", "HOLDER");
        shown.forEach(key -> table.add(
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

    private static String time(JsonAnswer key, String name) {
        return key.hasNumber(name) ? Durations.shown(Duration.ofSeconds((long) key.number(name))) : "";
    }

    private List<JsonAnswer> keys() {
        List<JsonAnswer> keys = new ArrayList<>();
        String query = "/v1/keys?limit=" + PAGE + "&prefix=" + RestClient.encoded(prefix);
        String after = "";
        do {
            JsonAnswer page = client.ask("GET", query + after).expecting(200).answer();
            keys.addAll(page.expected("keys"));
            after = page.has("next") ? "&after=" + RestClient.encoded(page.text("next")) : "";
        } while (!after.isEmpty());
        return keys;
    }

    /**
     * Wakes a command when keys have changed. It follows the events of a gateway, and reconnects
     * when the stream ends. While it cannot follow them, it wakes nothing, and the command polls.
     * Thread safe.
     */
    static final class ChangeSignal implements AutoCloseable {
        private static final String TYPES = "granted,queued,released,expired,lost,set_free,removed,limit_changed";

        /** The first line of every stream. Keys may have changed before it. */
        private static final String BEGIN = ": flockgate";

        private static final String EVENT = "event: ";
        private static final int FIRST_REFUSAL = 400;
        private static final int RATE_LIMITED = 429;
        private static final int FIRST_FAILURE = 500;

        private final Semaphore changed = new Semaphore(0);
        private final Thread follower;

        /**
         * A signal for each change of a key that begins with this prefix. Close it before the
         * client.
         *
         * @param again the pause before the events are followed again
         */
        ChangeSignal(RestClient client, String prefix, Duration again) {
            String path = "/v1/events?type=" + TYPES + "&prefix=" + RestClient.encoded(prefix);
            this.follower = Thread.ofVirtual().start(() -> follow(client, path, again));
        }

        private void follow(RestClient client, String path, Duration again) {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    int status = client.follow(path, this::read);
                    if (status >= FIRST_REFUSAL && status < FIRST_FAILURE && status != RATE_LIMITED) {
                        // An older gateway, or a token without the right: it would refuse again.
                        return;
                    }
                } catch (CommandException e) {
                    // The list reports that the gateway does not answer.
                }
                try {
                    Thread.sleep(again);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void read(String line) {
            if (line.startsWith(EVENT) || line.equals(BEGIN)) {
                changed.release();
            }
        }

        /** Forgets the changes so far. */
        void clear() {
            int unused = changed.drainPermits();
        }

        /**
         * Returns once a key has changed since the last {@link #clear}, or after this time at the
         * latest.
         */
        void await(Duration most) throws InterruptedException {
            boolean unused = changed.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public void close() {
            follower.interrupt();
        }
    }
}
