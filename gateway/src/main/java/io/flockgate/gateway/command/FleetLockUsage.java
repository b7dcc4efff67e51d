package io.flockgate.gateway.command;

import io.flockgate.gateway.command.shared.CommandArguments;
import io.flockgate.gateway.command.shared.CommandException;
import io.flockgate.gateway.command.shared.CommandSyntax;
import io.flockgate.gateway.command.shared.ConnectionOptions;
import io.flockgate.gateway.command.shared.Servers;
import java.util.List;

/** The options of {@code flockgate fleetlock} and its help. */
final class FleetLockUsage {
    static final CommandSyntax SYNTAX =
            CommandSyntax.connecting("fleetlock", List.of("url", "reason", "fence"), List.of("json"));

    static final String HELP = """
            Usage: flockgate fleetlock ls [<group>]
                   flockgate fleetlock unlock <group> <id> --reason <text> [--fence <number>]
                   flockgate fleetlock pause <group> --reason <text>
                   flockgate fleetlock resume <group> [--reason <text>]
                   flockgate fleetlock id [<machine-id>]

            Shows who may reboot, takes back the slot of a machine that does not return, and stops a group
            from giving out slots. id prints the id by which Zincati names a machine: this machine, or the
            one with that machine id.

              --server <url>[,…]          FLOCKGATE_SERVER, default http://127.0.0.1:6389
                  Gateways of one cluster, each with its scheme (http or https) and port.
              --url <url>                 FLOCKGATE_URL
                  The same. FLOCKGATE_URL beats FLOCKGATE_SERVER.
            """ + ConnectionOptions.SECRETS_USAGE + """
              --reason <text>             Why; goes to the log of the gateway.
              --fence <number>            unlock only: the holder must still have this fence, as ls shows it.
              --json                      Print what the gateway answers.
              -h, --help                  Print this text.

            Example: flockgate fleetlock unlock workers 4f2c… --reason "sold" --server http://gate-1:6389
            """;

    private static final String BOTH = "--url or FLOCKGATE_URL";

    private FleetLockUsage() {}

    /** @throws CommandException for servers that have no REST API */
    static ConnectionOptions connection(CommandArguments arguments) {
        if (arguments.text("url").isPresent() && arguments.text("server").isPresent()) {
            throw CommandException.usage("--url and --server are the same: give one of them");
        }
        if (arguments.text("server").isEmpty()) {
            var url = arguments.setting("url", "FLOCKGATE_URL");
            if (url.isPresent()) {
                return ConnectionOptions.of(arguments, Servers.of(url.get(), "--url"), BOTH);
            }
        }
        return ConnectionOptions.of(arguments, Servers.LOCAL_REST);
    }
}
