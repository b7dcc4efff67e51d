package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.Orders;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.options.Arguments;
import java.util.List;
import java.util.Optional;

/**
 * The sub-commands {@code flockgate drain} and {@code flockgate undrain}: one gateway stops
 * accepting claims, or accepts them again.
 */
public final class DrainCommand {
    private static final CommandSyntax DRAIN =
            CommandSyntax.connecting("drain", """
            Usage: flockgate drain --reason <text>

            Stops a gateway from accepting new claims; its /ready answers 503. Waiting claims are still granted,
            and holders can renew and release. FleetLock grants no new slots, but accepts releases. Other
            gateways are not affected. A restart ends the drain. Needs the REST API of one gateway.
            """, List.of(Orders.REASON), ConnectionOptions.REST, """
            Example: flockgate drain --reason "new kernel" --server gate-1
            """);
    private static final CommandSyntax UNDRAIN =
            CommandSyntax.connecting("undrain", """
            Usage: flockgate undrain [--reason <text>]

            Lets a gateway accept claims again. Needs the REST API of one gateway.
            """, List.of(Orders.REASON), ConnectionOptions.REST, """
            Example: flockgate undrain --server gate-1
            """);

    private DrainCommand() {}

    public static int run(String verb, CommandCall call) {
        boolean drain = verb.equals("drain");
        return (drain ? DRAIN : UNDRAIN).run(call, arguments -> {
            run(verb, arguments);
            call.out().println(drain ? "draining: no new claims" : "accepts claims again");
            return 0;
        });
    }

    private static void run(String verb, Arguments arguments) {
        arguments.atMost(0);
        Optional<String> reason =
                verb.equals("drain") ? Optional.of(Orders.reason(arguments)) : arguments.text(Orders.REASON);
        if (ConnectionOptions.of(arguments).servers().addresses().size() > 1) {
            throw CommandException.usage(verb + " is for one gateway: give one address");
        }
        ServerReply unused =
                Orders.send(arguments, "POST", "/v1/" + verb, reason).expecting(204);
    }
}
