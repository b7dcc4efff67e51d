package io.flockgate.gateway.command;

import io.flockgate.client.json.JsonArray;
import io.flockgate.client.json.JsonObject;
import io.flockgate.gateway.command.shared.CommandArguments;
import io.flockgate.gateway.command.shared.CommandException;
import io.flockgate.gateway.command.shared.CommandSyntax;
import io.flockgate.gateway.rights.NamedToken;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Sha256;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The sub-command {@code flockgate token}: makes tokens. Asks no server. */
public final class TokenCommand {
    static final CommandSyntax SYNTAX = new CommandSyntax("token", List.of("name", "allow"), List.of());

    static final String HELP = """
            Usage: flockgate token new [--name <name>] [--allow <right>]…

            Makes a token. Prints two lines: the secret, which the client keeps, and the entry for --tokens-file,
            which has only the secret's hash. Nothing is stored.

              --name <name>               How logs and lists call the token: 1 to 64 characters without blanks.
              --allow <right>             What the token may do; may be repeated. One of:
                                            lock:<key>, lock:<prefix>*     take, renew and release these keys
                                            read, read:<prefix>*           see keys, holders and queues
                                            metrics                        /metrics
                                            operate                        the orders of operators
                                            fleetlock:<group>              slots of a FleetLock group; * for all
                                            all                            everything
              -h, --help                  Print this text.

            Example:
              flockgate token new --name ci --allow 'lock:ci/*' --allow 'read:ci/*'
            """;

    private static final int SECRET_BYTES = 32;

    private TokenCommand() {}

    /**
     * Runs the sub-command and returns the exit status.
     *
     * @param args what follows {@code token}
     */
    public static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        try {
            CommandArguments arguments = CommandArguments.of(SYNTAX, args, environment);
            if (arguments.has("help")) {
                out.print(HELP);
                return 0;
            }
            String word = arguments.word(0, "the word new");
            if (!word.equals("new")) {
                throw CommandException.usage("unknown word " + Quoting.quoted(word)
                        + Suggestion.of(word, Stream.of("new")) + " (see --help)");
            }
            arguments.atMost(1);
            make(arguments, new SecureRandom(), out, err);
            return 0;
        } catch (CommandException e) {
            err.println("flockgate token: " + e.getMessage());
            return e.status();
        }
    }

    private static void make(CommandArguments arguments, RandomGenerator random, PrintStream out, PrintStream err) {
        String name = arguments.text("name").orElse("unnamed");
        if (!NamedToken.isName(name) || name.equals(NamedToken.AUTH_TOKEN)) {
            throw CommandException.usage("--name must be 1 to 64 printable characters of ASCII without blanks, and not "
                    + NamedToken.AUTH_TOKEN);
        }
        List<String> allow = arguments.texts("allow");
        try {
            Rights unused = Rights.of(allow);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage("--allow: " + e.getMessage());
        }
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        String secret = "fg_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        String hash = HexFormat.of().formatHex(Sha256.of(secret.getBytes(StandardCharsets.US_ASCII)));
        out.println(secret);
        out.println(JsonObject.builder()
                .put("name", name)
                .put("sha256", hash)
                .put("allow", JsonArray.ofStrings(allow))
                .build());
        err.println(
                "The first line is the secret: give it to the client. The second goes into the file of --tokens-file.");
    }
}
