package io.flockgate.cli;

import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.ConnectionOptions;
import java.util.List;

/** The options of {@code flockgate fleetlock} and its help. */
final class FleetLockUsage {
    static final CommandSyntax SYNTAX =
            CommandSyntax.connecting("fleetlock", List.of("reason", "fence"), List.of("json"));

    static final String HELP =
            """
            Usage: flockgate fleetlock ls [<group>]
                   flockgate fleetlock unlock <group> <id> --reason <text> [--fence <fence>]
                   flockgate fleetlock pause <group> --reason <text>
                   flockgate fleetlock resume <group> [--reason <text>]
                   flockgate fleetlock id [<machine-id>]

            Shows reboot slots, releases the slot of a lost machine, and pauses a group. id prints Zincati's
            id of this machine, or of the one with the given machine id.

              --reason <text>             The reason, for the gateway's log.
              --fence <fence>             unlock only: the holder must still have this fence, as ls shows it.
              --json                      Print the gateway's answer.
            """ + ConnectionOptions.USAGE.formatted("http://127.0.0.1:6389") + ConnectionOptions.LAST_USAGE + """

            Example: flockgate fleetlock unlock workers 4f2c… --reason "sold" --server http://gate-1:6389
            """;

    private FleetLockUsage() {}
}
