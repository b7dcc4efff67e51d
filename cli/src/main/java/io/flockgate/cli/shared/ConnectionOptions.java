package io.flockgate.cli.shared;

import io.flockgate.client.http.CaFile;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of a connection, the same for every sub-command.
 *
 * @param trust the certificates to trust instead of Java's own authorities
 */
public record ConnectionOptions(Servers servers, Optional<String> token, Optional<SSLContext> trust) {
    /** How to set the servers, for messages. */
    static final String SERVER_OPTION = "--server or FLOCKGATE_SERVER";

    /** The lines of {@code --help}. */
    public static final String USAGE = """
              --server <address>[,…]      FLOCKGATE_SERVER, default %s
                  Gateways of one cluster. host:port, flockgate://host:port and flockgates://host:port
                  (TLS) speak the line protocol, http://host:port and https://host:port the REST API.
            """;

    /** The last options in the {@code --help} of every command with a connection. */
    public static final String LAST_USAGE = """
              --auth-token-file <file>    DFLOCKD_AUTH_TOKEN_FILE, default unset
                  File that holds the gateway's token.
              --auth-token <token>        DFLOCKD_AUTH_TOKEN, default unset
                  The token itself. An option is visible in the process list, so prefer the file.
              --ca-file <file>            FLOCKGATE_CA_FILE, default unset
                  Certificates (PEM) of the authorities to trust for TLS, instead of Java's.
              -h, --help                  Print this text. flockgate --help lists the exit statuses.
            """;

    private static final int MAX_TOKEN_BYTES = 64 * 1024;

    /**
     * The connection that the arguments describe.
     *
     * @param otherwise the servers if none are given
     * @throws CommandException for options that cannot be used
     */
    public static ConnectionOptions of(CommandArguments arguments, Servers otherwise) {
        Optional<SSLContext> trust =
                arguments.setting("ca-file", "FLOCKGATE_CA_FILE").map(ConnectionOptions::trusting);
        return new ConnectionOptions(given(arguments).orElse(otherwise), token(arguments), trust);
    }

    /**
     * The servers' REST API. A gateway of the line protocol is asked for it.
     *
     * @throws CommandException if none answers, or the one that does has no REST API
     */
    public Servers.Rest rest() {
        return switch (servers) {
            case Servers.Rest rest -> rest;
            case Servers.Line line -> new LineServer(this, line).rest();
        };
    }

    /** The servers of {@code --server} or its variable. */
    public static Optional<Servers> given(CommandArguments arguments) {
        return arguments
                .text("server")
                .map(text -> Servers.of(text, "--server"))
                .or(() -> arguments.variable("FLOCKGATE_SERVER").map(text -> Servers.of(text, "FLOCKGATE_SERVER")));
    }

    private static Optional<String> token(CommandArguments arguments) {
        Optional<String> file = arguments.setting("auth-token-file", "DFLOCKD_AUTH_TOKEN_FILE");
        if (arguments.text("auth-token").isPresent() || file.isEmpty()) {
            return arguments.setting("auth-token", "DFLOCKD_AUTH_TOKEN").map(String::strip);
        }
        try (InputStream in = Files.newInputStream(Path.of(file.get()))) {
            return Optional.of(new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8).strip());
        } catch (IOException | InvalidPathException e) {
            throw unreadable("--auth-token-file", file.get(), e);
        }
    }

    private static SSLContext trusting(String file) {
        try {
            return CaFile.trust(Path.of(file));
        } catch (IOException | InvalidPathException | GeneralSecurityException e) {
            throw unreadable("--ca-file", file, e);
        }
    }

    private static CommandException unreadable(String option, String file, Exception e) {
        return CommandException.usage(option + ": cannot read " + Quoting.quoted(file) + ": " + Reason.of(e));
    }

    /** Without the token. */
    @Override
    public String toString() {
        return servers.toString();
    }
}
