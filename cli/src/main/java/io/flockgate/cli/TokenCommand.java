package io.flockgate.cli;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.CommandSyntax;
import io.flockgate.cli.shared.InstalledGateway;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.text.Quoting;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/** The sub-command {@code flockgate token}: makes tokens, without contacting a server. */
final class TokenCommand {
    private static final Option<String> NAME =
            Option.text("name", "name").help("The token's name in logs and lists: 1 to 64 characters without blanks.");
    private static final Option<List<String>> ALLOW = Option.flag("allow", OptionType.entries("right"), "")
            .help("What the token may do, as listed below; may be repeated.");

    private static final CommandSyntax SYNTAX = new CommandSyntax("token", """
            Usage: flockgate token new [--name <name>] [--allow <right>]…

            Makes a token. Prints two lines: the secret for the client, and the entry for --tokens-file, which
            has only the secret's hash. Nothing is stored.
            """, List.of(NAME, ALLOW), """
            Rights:
              lock:<key>, lock:<prefix>*     take, renew and release these keys
              read, read:<prefix>*           see keys, holders and queues
              metrics                        /metrics
              operate                        the orders of operators
              fleetlock:<group>              slots of a FleetLock group; * for all
              all                            everything

            Example:
              flockgate token new --name ci --allow 'lock:ci/*' --allow 'read:ci/*'
            """);

    private static final int SECRET_BYTES = 32;

    private TokenCommand() {}

    static int run(CommandCall call, InstalledGateway gateway) {
        return SYNTAX.run(call, arguments -> {
            String word = arguments.word(0, "the word new");
            if (!word.equals("new")) {
                throw CommandException.usage(
                        "unknown word " + Quoting.quoted(word) + ": did you mean new? (see --help)");
            }
            arguments.atMost(1);
            make(arguments, gateway, call.out(), call.err());
            return 0;
        });
    }

    private static void make(Arguments arguments, InstalledGateway gateway, PrintStream out, PrintStream err) {
        String name = arguments.text(NAME).orElse("unnamed");
        if (!gateway.isTokenName(name)) {
            throw CommandException.usage(
                    "--name must be 1 to 64 printable characters of ASCII without blanks, and not auth-token");
        }
        String secret = secret();
        List<String> allow = arguments.get(ALLOW);
        String entry = entry(gateway, name, secret, allow);
        out.println(secret);
        out.println(entry);
        err.println(
                "The first line is the secret: give it to the client. The second goes into the file of --tokens-file.");
        if (allow.isEmpty()) {
            err.println("flockgate token: this token allows nothing: add --allow, such as --allow 'lock:ci/*'"
                    + " (see --help)");
        }
    }

    private static String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return "fg_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String entry(InstalledGateway gateway, String name, String secret, List<String> allow) {
        try {
            return gateway.tokenEntry(name, secret, allow);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("--allow: " + e.getMessage());
        }
    }
}
