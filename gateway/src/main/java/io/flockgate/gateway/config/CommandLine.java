package io.flockgate.gateway.config;

import java.util.List;
import java.util.Map;

/** Reads the command line and the environment. Opens nothing but token files. */
public final class CommandLine {
    private static final String SERVE = "serve";
    private static final String FLEETLOCK = "fleetlock";

    private CommandLine() {}

    /**
     * Reads a command line. Checks all options, with {@code --version} too.
     *
     * @param args the words after the command's name
     * @param environment all variables by name
     */
    public static Invocation read(List<String> args, Map<String, String> environment) {
        return read(args, environment, TokenFile.SYSTEM);
    }

    static Invocation read(List<String> args, Map<String, String> environment, TokenFile files) {
        if (!args.isEmpty() && args.getFirst().equals(FLEETLOCK)) {
            return new Invocation.FleetLock(args.subList(1, args.size()));
        }
        try {
            InstalledStorages installed = InstalledStorages.onClassPath();
            OptionCatalogue catalogue = OptionCatalogue.of(installed);
            Arguments given = Arguments.of(withoutSubCommand(args), catalogue);
            if (given.help()) {
                return new Invocation.Help(HelpText.render(catalogue));
            }
            GatewayConfig config =
                    new ConfigReader(new OptionSources(given.values(), environment), files, installed).read();
            return given.version() ? new Invocation.Version() : new Invocation.Serve(config);
        } catch (ConfigException e) {
            return new Invocation.Invalid(e.complaint());
        }
    }

    /** Without a sub-command the gateway serves. */
    private static List<String> withoutSubCommand(List<String> args) {
        return !args.isEmpty() && args.getFirst().equals(SERVE) ? args.subList(1, args.size()) : args;
    }
}
