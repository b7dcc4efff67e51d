package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Durations;
import io.flockgate.cli.shared.Json.JsonAnswer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Table;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.text.Fences;
import io.flockgate.text.Quoting;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The sub-command {@code flockgate show}: the holders and the queue of one key. */
public final class ShowCommand {
    private static final Option<Boolean> JSON = Option.off("json").help("Print the gateway's answer.");

    private static final CommandSyntax SYNTAX =
            CommandSyntax.connecting("show", """
            Usage: flockgate show <key> [--json]

            Shows the holders and the queue of a key: the name and address of each client, the name of its
            token, and its gateway. Stops after 100 holders and the beginning of the queue.
            A holder without a lease, such as consul lock, is shown with "-". Uses the REST API.
            """, List.of(JSON), ConnectionOptions.REST, """
            Example: flockgate show deploy --server gate-1
            """);

    private ShowCommand() {}

    public static int run(CommandCall call) {
        return SYNTAX.run(call, arguments -> {
            call.out().print(show(arguments));
            return 0;
        });
    }

    private static String show(Arguments arguments) {
        arguments.atMost(1);
        String key = KeyRules.checked(arguments.word(0, "the key"));
        ServerReply reply =
                new RestClient(ConnectionOptions.of(arguments)).ask("GET", "/v1/keys/" + RestClient.encoded(key));
        if (reply.answer().text("error").equals("unknown_key")) {
            throw CommandException.withStatus(
                    KeyRules.NOT_HELD,
                    "the server has no key " + Quoting.quoted(key)
                            + ": it is not held, and has not been used for a while");
        }
        String tables = tables(reply.expecting(200).answer());
        return arguments.get(JSON) ? reply.body() : tables;
    }

    private static String tables(JsonAnswer key) {
        Table summary = new Table("KEY", "KIND", "LIMIT", "HOLDERS", "WAITERS");
        summary.add(
                key.text("key"),
                key.text("kind"),
                key.shown("limit"),
                key.shown("holder_count"),
                key.shown("waiter_count"));
        Table holders = new Table("FENCE", "DECIMAL", "CLIENT", "TOKEN", "ADDRESS", "GATEWAY", "HELD", "LEASE LEFT");
        key.expected("holders")
                .forEach(holder -> holders.add(
                        holder.text("fence"),
                        decimal(holder.text("fence")),
                        client(holder),
                        holder.text("token_name"),
                        holder.text("address"),
                        holder.text("gateway"),
                        bound(holder, ">=") + time(holder, "held_s"),
                        lease(holder)));
        Table queue = new Table("PLACE", "ID", "CLIENT", "TOKEN", "ADDRESS", "GATEWAY", "WAITING");
        key.expected("queue")
                .forEach(waiter -> queue.add(
                        waiter.shown("position"),
                        waiter.text("id"),
                        client(waiter),
                        waiter.text("token_name"),
                        waiter.text("address"),
                        waiter.text("gateway"),
                        bound(waiter, ">=") + time(waiter, "waiting_s")));
        return Stream.of(summary, holders, queue)
                .filter(table -> !table.isEmpty())
                .map(Table::render)
                .collect(Collectors.joining("\n"));
    }

    /** The name of a client; without one its protocol, and its number if it has one. */
    private static String client(JsonAnswer entry) {
        String name = entry.text("name");
        String number = entry.shown("conn_id");
        return name.isEmpty() ? entry.text("via") + (number.equals("0") ? "" : " " + number) : name;
    }

    /** A fence in its decimal form; empty if the text is not a fence. */
    private static String decimal(String fence) {
        OptionalLong number = Fences.parse(fence);
        return number.isPresent() ? Fences.decimal(number.getAsLong()) : "";
    }

    /** The remaining time of a lease; foreign holders have none. */
    private static String lease(JsonAnswer holder) {
        boolean none = holder.text("via").equals("other") && holder.number("lease_expires_in_s") == 0;
        return none ? "-" : bound(holder, "<=") + time(holder, "lease_expires_in_s");
    }

    /** The times of another gateway's clients are only bounds. */
    private static String bound(JsonAnswer entry, String sign) {
        return entry.isTrue("bounds") ? sign : "";
    }

    private static String time(JsonAnswer entry, String name) {
        return Durations.shown(Duration.ofSeconds((long) entry.number(name)));
    }
}
