package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayOptions.Section;
import io.flockgate.options.OptionHelp;

/**
 * The texts of {@code --help}: an overview of the commands, and all options of the server by
 * section. At most {@link OptionHelp#WIDTH} columns wide.
 */
public final class HelpText {
    /** How to call the command, and a line for each sub-command. */
    public static final String COMMANDS = """
            Usage: flockgate [serve] [flags]
                   flockgate <command> [options]

            A server of locks, semaphores and reboot slots, and the commands that use it. Without a command it
            serves on 127.0.0.1:6388; --http-port 6389 adds REST and the page for operators.

            Commands, each with its own --help:
              serve       Serves locks and semaphores over dflockd's protocols, and reboot slots over FleetLock
              run         Runs a command while holding a key, and exits with the command's status
              lock        Holds a key until a signal (TERM, INT or HUP) arrives, then releases it
              ls          Lists locks and semaphores
              show        Shows the holders and the queue of a key
              release     Releases a grant by its token, or as an operator
              renew       Restarts the lease of a grant
              limit       Changes the limit of a semaphore that is in use, as an operator
              drain       Stops a gateway from accepting new claims
              undrain     Lets a gateway accept claims again
              fleetlock   Shows reboot slots, releases the slot of a lost machine, and pauses a group
              health      Checks whether the gateway on this host works
              token       Makes a token
            """;

    static final String OVERVIEW = COMMANDS + """

              -h, --help       Print this text. The server's flags: flockgate serve --help.
              -v, --version    Check all settings of the server, print the version.

            Exit status:
                   0  done. serve: after a signal; run: the status of its command
                   1  the gateway cannot be reached, or refuses; the output cannot be written.
                      serve: not started; health: not healthy
                   2  a wrong command line. serve, health: 1
                   3  serve: could not continue
                  69  run, lock: the gateway cannot be reached, or refuses
                  71  run: the lease is lost, and a process of the command cannot be ended
                  74  run, lock: the lease is lost. release, renew, limit, show: no such token, fence or key
                  75  run, lock: other clients hold the key
            126, 127  run: the command cannot be executed, or does not exist
               128+n  signal n ended the command of run, the wait, or a server that was already stopping
            """;

    private static final String HEAD = """
            Usage: flockgate [serve] [flags]

            Serves locks and semaphores over dflockd's protocols, and reboot slots over FleetLock. A flag
            beats its environment variable, a variable that is not empty beats the default. Flags are
            written --name value or --name=value, switches --name or --name=false. Times are whole seconds.
            """;
    private static final String TAIL = """

            Other
              -h, --help       Print this text. flockgate --help lists the commands and the exit statuses.
              -v, --version    Check all settings, print the version. Also: flockgate version.
            """;

    private HelpText() {}

    static String serve(OptionCatalogue catalogue) {
        StringBuilder out = new StringBuilder(HEAD);
        for (Section section : catalogue.sections()) {
            out.append('\n').append(section.title()).append('\n');
            out.append(OptionHelp.of(section.options()));
        }
        return out.append(TAIL).toString();
    }
}
