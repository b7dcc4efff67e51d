package io.flockgate.cli.shared;

import io.flockgate.client.http.CaFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
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

    private static final Option<String> SERVER = Option.of(
                    "server", "FLOCKGATE_SERVER", OptionType.text("address,…"), "", Rule.any(""))
            .help("Gateways of one cluster. host:port, flockgate://host:port and flockgates://host:port (TLS) speak the"
                    + " line protocol, http://host:port and https://host:port the REST API.");

    /** The servers, by default one of the line protocol. */
    public static final Option<String> LINE = SERVER.showing("127.0.0.1:6388");

    /** The servers, by default one of the REST API. */
    public static final Option<String> REST = SERVER.showing("http://127.0.0.1:6389");

    private static final Option<String> TOKEN_FILE = Option.of(
                    "auth-token-file", "DFLOCKD_AUTH_TOKEN_FILE", OptionType.text("file"), "", Rule.any(""))
            .help("File that holds the gateway's token.");
    private static final Option<String> TOKEN = Option.of(
                    "auth-token", "DFLOCKD_AUTH_TOKEN", OptionType.text("token"), "", Rule.any(""))
            .help("The token itself. An option is visible in the process list, so prefer the file.");
    private static final Option<String> CA_FILE = Option.of(
                    "ca-file", "FLOCKGATE_CA_FILE", OptionType.text("file"), "", Rule.any(""))
            .help("Certificates (PEM) of the authorities to trust for TLS, instead of Java's.");

    /** The options of every connection except the servers. */
    static final List<Option<?>> OTHERS = List.of(TOKEN_FILE, TOKEN, CA_FILE);

    private static final int MAX_TOKEN_BYTES = 64 * 1024;

    /**
     * The connection that the arguments describe.
     *
     * @param otherwise the servers if none are given
     * @throws CommandException for options that cannot be used
     */
    public static ConnectionOptions of(Arguments arguments, Servers otherwise) {
        Optional<SSLContext> trust = arguments.text(CA_FILE).map(ConnectionOptions::trusting);
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
    public static Optional<Servers> given(Arguments arguments) {
        return arguments.given(SERVER).map(given -> Servers.of(given.text(), given.name()));
    }

    private static Optional<String> token(Arguments arguments) {
        Optional<String> file = arguments.text(TOKEN_FILE);
        if (arguments.onCommandLine(TOKEN).isPresent() || file.isEmpty()) {
            return arguments.text(TOKEN).map(String::strip);
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
