package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandArguments;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Servers;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The sub-commands {@code flockgate drain} and {@code flockgate undrain}: one gateway stops
 * accepting claims, or accepts them again.
 */
public final class DrainCommand {
    private DrainCommand() {}

    private static String help(String verb) {
        boolean drain = verb.equals("drain");
        return "Usage: flockgate " + verb + (drain ? " --reason <text>" : " [--reason <text>]") + "\n\n"
                + (drain ? """
                        Stops a gateway from accepting new claims; its /ready answers 503. Waiting claims are still granted,
                        and holders can renew and release. FleetLock grants no new slots, but accepts releases. Other
                        gateways are not affected. A restart ends the drain. Needs the REST API of one gateway.
                        """ : "Lets a gateway accept claims again. Needs the REST API of one gateway.\n")
                + "\n  --reason <text>             The reason, for the log.\n"
                + ConnectionOptions.USAGE.formatted("http://127.0.0.1:6389") + ConnectionOptions.LAST_USAGE
                + "\nExample: flockgate " + verb
                + (drain ? " --reason \"new kernel\"" : "") + " --server http://gate-1:6389\n";
    }

    public static int run(
            String verb, List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        CommandSyntax syntax = CommandSyntax.connecting(verb, List.of("reason"), List.of());
        return syntax.run(help(verb), args, environment, out, err, arguments -> {
            run(verb, arguments);
            out.println(verb.equals("drain") ? "draining: no new claims" : "accepts claims again");
            return 0;
        });
    }

    private static void run(String verb, CommandArguments arguments) {
        arguments.atMost(0);
        Optional<String> reason =
                verb.equals("drain") ? Optional.of(Orders.reason(arguments)) : arguments.text("reason");
        if (ConnectionOptions.given(arguments)
                        .map(Servers::addresses)
                        .orElse(List.of())
                        .size()
                > 1) {
            throw CommandException.usage(verb + " is for one gateway: give one address");
        }
        ServerReply unused =
                Orders.send(arguments, "POST", "/v1/" + verb, reason).expecting(204);
    }
}
