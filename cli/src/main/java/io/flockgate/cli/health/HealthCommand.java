package io.flockgate.cli.health;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.InstalledGateway;
import io.flockgate.cli.shared.InstalledGateway.Listeners;
import io.flockgate.text.Quoting;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sub-command {@code flockgate health}: whether a gateway with these flags and variables
 * answers on this host.
 */
public final class HealthCommand {
    private static final String HELP = """
            Usage: flockgate health [--ready] [--pid <pid>] [flags of the gateway]

            Checks whether the gateway on this host works. Accepts the gateway's own flags and variables, and
            so knows its port, address and TLS settings. Prints one line. Intended for health checks of
            containers: it needs no shell, and sends no secret. FLOCKGATE_SERVER has no effect.

              --ready         Check whether the gateway accepts clients, instead of whether it works.
              --pid <pid>     Read the flags and variables of the gateway from this process, which is 1 in
                              a container. Further flags are added.
              -h, --help      Print this text.

            It asks /health or /ready of the REST API, so the gateway needs --http-port. If clients need a
            certificate, it completes the TLS handshake only.

            Examples:
              flockgate health --http-port 6389
              flockgate health --ready --pid 1
            """;

    private static final String READY = "--ready";
    private static final String PID = "--pid";

    /** The options of this command, and the flags and variables of the gateway. */
    private record Request(boolean help, boolean ready, List<String> flags, Map<String, String> environment) {}

    private HealthCommand() {}

    public static int run(
            List<String> args,
            Map<String, String> environment,
            InstalledGateway gateway,
            PrintStream out,
            PrintStream err) {
        try {
            Request request = read(args, environment);
            if (request.help()) {
                out.print(HELP);
                return 0;
            }
            HealthProbe probe = new HealthProbe(listeners(gateway, request), request.ready());
            out.println("ok: " + Quoting.escaped(probe.ask()));
            return 0;
        } catch (CommandException e) {
            err.println("flockgate health: " + Quoting.escaped(String.valueOf(e.getMessage())));
            return 1;
        }
    }

    private static Listeners listeners(InstalledGateway gateway, Request request) {
        try {
            return gateway.listeners(request.flags(), request.environment());
        } catch (IllegalArgumentException e) {
            throw CommandException.failed(String.valueOf(e.getMessage()));
        }
    }

    private static Request read(List<String> args, Map<String, String> environment) {
        boolean help = false;
        boolean ready = false;
        List<String> flags = new ArrayList<>();
        Map<String, String> variables = new HashMap<>(environment);
        for (int i = 0; i < args.size(); i++) {
            String word = args.get(i);
            if (List.of("-h", "--h", "-help", "--help").contains(word)) {
                help = true;
            } else if (word.equals(READY)) {
                ready = true;
            } else if (word.equals(PID) || word.startsWith(PID + "=")) {
                boolean inNextWord = word.equals(PID);
                i += inNextWord ? 1 : 0;
                String pid = inNextWord ? (i < args.size() ? args.get(i) : "") : word.substring(PID.length() + 1);
                RunningGateway gateway = RunningGateway.of(pid);
                flags.addAll(0, gateway.flags());
                variables.clear();
                variables.putAll(gateway.environment());
            } else {
                flags.add(word);
            }
        }
        return new Request(help, ready, flags, variables);
    }
}
