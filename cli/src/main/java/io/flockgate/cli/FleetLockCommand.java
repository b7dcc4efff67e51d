package io.flockgate.cli;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Json.JsonAnswer;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Table;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The sub-command {@code flockgate fleetlock}. */
final class FleetLockCommand {
    private static final Option<Boolean> JSON = Option.off("json").help("Print the gateway's answer.");

    private static final CommandSyntax SYNTAX = CommandSyntax.connecting(
            "fleetlock",
            """
            Usage: flockgate fleetlock ls [<group>]
                   flockgate fleetlock unlock <group> <id> --reason <text> [--fence <fence>]
                   flockgate fleetlock pause <group> --reason <text>
                   flockgate fleetlock resume <group> [--reason <text>]
                   flockgate fleetlock id [<machine-id>]

            Shows reboot slots, releases the slot of a lost machine, and pauses a group. id prints Zincati's
            id of this machine, or of the one with the given machine id.
            """,
            List.of(
                    Orders.REASON,
                    Orders.FENCE.help("unlock only: the holder must still have this fence, as ls shows it."),
                    JSON),
            ConnectionOptions.REST,
            """
            Example: flockgate fleetlock unlock workers 4f2c… --reason "sold" --server gate-1
            """);

    private static final String GROUPS = "/v1/fleetlock/groups";
    private static final Path MACHINE_ID = Path.of("/etc/machine-id");

    private final PrintStream out;

    private FleetLockCommand(PrintStream out) {
        this.out = out;
    }

    static int run(CommandCall call) {
        return SYNTAX.run(call, new FleetLockCommand(call.out())::run);
    }

    private int run(Arguments arguments) {
        return switch (arguments.word(0, "one of ls, unlock, pause, resume, id")) {
            case "ls" -> list(arguments);
            case "unlock" -> unlock(arguments);
            case "pause" -> order(arguments, "pause", Optional.of(Orders.reason(arguments)));
            case "resume" -> order(arguments, "resume", arguments.text(Orders.REASON));
            case "id" -> id(arguments);
            default -> throw unknown(arguments.words().getFirst());
        };
    }

    private static CommandException unknown(String word) {
        String meant = Suggestion.of(word, Stream.of("ls", "unlock", "pause", "resume", "id"));
        return CommandException.usage("unknown word " + Quoting.quoted(word) + meant
                + (meant.isEmpty() ? "; there are ls, unlock, pause, resume and id" : "") + " (see --help)");
    }

    private int list(Arguments arguments) {
        arguments.atMost(2);
        boolean all = arguments.words().size() == 1;
        ServerReply response = Orders.send(arguments, "GET", all ? GROUPS : pathOf(arguments), Optional.empty())
                .expecting(200);
        if (arguments.get(JSON)) {
            out.print(response.body());
        } else {
            out.print(all ? groups(response.answer()) : groupAndHolders(response.answer()));
        }
        return 0;
    }

    private static String pathOf(Arguments arguments) {
        return GROUPS + "/" + RestClient.encoded(arguments.word(1, "the group"));
    }

    private static String groups(JsonAnswer answer) {
        Table table = groupTable();
        answer.expected("groups").forEach(group -> addGroup(table, group));
        return table.render();
    }

    private static String groupAndHolders(JsonAnswer group) {
        Table holders = new Table("ID", "SINCE", "AGE", "LAST SEEN", "FENCE", "ADDRESS", "GATEWAY", "");
        group.expected("holders").forEach(holder -> addHolder(holders, holder));
        Table table = groupTable();
        addGroup(table, group);
        return table.render() + "\n" + holders.render();
    }

    private static Table groupTable() {
        return new Table("GROUP", "SLOTS", "HELD", "STALE", "STATE");
    }

    private static void addGroup(Table table, JsonAnswer group) {
        table.add(group.text("group"), group.shown("slots"), group.shown("held"), group.shown("stale"), state(group));
    }

    private static String state(JsonAnswer group) {
        if (group.isTrue("paused")) {
            return "paused since " + group.text("paused_since") + ": " + group.text("pause_reason");
        }
        if (group.has("configured") && !group.isTrue("configured")) {
            return "not configured";
        }
        boolean open = !group.has("window_open") || group.isTrue("window_open");
        return open ? "open" : "closed until " + group.text("next_opening");
    }

    private static void addHolder(Table table, JsonAnswer holder) {
        table.add(
                holder.text("id"),
                holder.text("since"),
                age((long) holder.number("age_s")),
                holder.text("last_seen"),
                holder.shown("fence"),
                holder.text("address"),
                holder.text("gateway"),
                holder.isTrue("stale") ? "stale" : " ");
    }

    private static String age(long seconds) {
        Duration age = Duration.ofSeconds(seconds);
        if (age.toDays() > 0) {
            return age.toDays() + "d" + age.toHoursPart() + "h";
        }
        return age.toHours() > 0
                ? age.toHours() + "h" + age.toMinutesPart() + "m"
                : age.toMinutes() + "m" + age.toSecondsPart() + "s";
    }

    private int unlock(Arguments arguments) {
        arguments.atMost(3);
        String id = arguments.word(2, "the id");
        String reason = Orders.reason(arguments);
        StringBuilder path =
                new StringBuilder(pathOf(arguments)).append("/holders/").append(RestClient.encoded(id));
        if (arguments.given(Orders.FENCE).isPresent()) {
            path.append("?fence=").append(Fences.decimal(arguments.get(Orders.FENCE)));
        }
        ServerReply unused = Orders.send(arguments, "DELETE", path.toString(), Optional.of(reason))
                .expecting(204);
        out.println("released: the slot of " + id);
        return 0;
    }

    private int order(Arguments arguments, String verb, Optional<String> reason) {
        arguments.atMost(2);
        ServerReply response = Orders.send(arguments, "POST", pathOf(arguments) + "/" + verb, reason)
                .expecting(200);
        out.print(arguments.get(JSON) ? response.body() : groupAndHolders(response.answer()));
        return 0;
    }

    private int id(Arguments arguments) {
        arguments.atMost(2);
        String machine = arguments.words().size() == 2 ? arguments.words().get(1) : ofThisMachine();
        String id = ZincatiId.of(machine)
                .orElseThrow(() -> CommandException.usage("a machine id has 32 hex digits, as in " + MACHINE_ID));
        out.println(id);
        return 0;
    }

    private static String ofThisMachine() {
        try {
            return Files.readString(MACHINE_ID);
        } catch (IOException e) {
            throw CommandException.usage(MACHINE_ID + " cannot be read; give the machine id");
        }
    }

    /**
     * The id by which Zincati names a machine. It is computed from the machine id like systemd's
     * application-specific ids, so it does not reveal the machine id (protocol-docs/fleetlock.md,
     * "Which node is this id?").
     */
    static final class ZincatiId {
        private static final String ZINCATI = "de35106b6ec24688b63afddaa156679b";
        private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
        private static final int BYTES = 16;

        private ZincatiId() {}

        /**
         * The id for a machine id with or without dashes; empty if the text is not a machine id.
         */
        static Optional<String> of(String machineId) {
            String plain = machineId.strip().toLowerCase(Locale.ROOT).replace("-", "");
            if (!ID.matcher(plain).matches() || plain.chars().allMatch(c -> c == '0')) {
                return Optional.empty();
            }
            byte[] id = Arrays.copyOf(
                    hmac(HexFormat.of().parseHex(plain), HexFormat.of().parseHex(ZINCATI)), BYTES);
            // Version 4 and the variant of RFC 9562.
            id[6] = (byte) ((id[6] & 0x0f) | 0x40);
            id[8] = (byte) ((id[8] & 0x3f) | 0x80);
            return Optional.of(HexFormat.of().formatHex(id));
        }

        private static byte[] hmac(byte[] key, byte[] message) {
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(key, "HmacSHA256"));
                return mac.doFinal(message);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java has HMAC with SHA-256", e);
            }
        }
    }
}
