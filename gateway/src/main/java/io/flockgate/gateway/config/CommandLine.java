package io.flockgate.gateway.config;

import java.util.List;
import java.util.Map;

/** Reads the command line and the environment. Pure but for the token file. */
public final class CommandLine {
    private static final String SERVE = "serve";
    private static final String FLEETLOCK = "fleetlock";

    private CommandLine() {}

    /**
     * What these words and variables ask for. All settings are checked, with {@code --version} too; nothing but token
     * files is opened.
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
            Words words = Words.of(withoutSubCommand(args));
            if (words.help()) {
                return new Invocation.Help(HelpText.render());
            }
            GatewayConfig config = new ConfigReader(new Sources(words.values(), environment), files).read();
            return words.version() ? new Invocation.Version() : new Invocation.Serve(config);
        } catch (ConfigException e) {
            return new Invocation.Invalid(e.told());
        }
    }

    /** Serving is what happens without a sub-command. */
    private static List<String> withoutSubCommand(List<String> args) {
        return !args.isEmpty() && args.getFirst().equals(SERVE) ? args.subList(1, args.size()) : args;
    }
}
