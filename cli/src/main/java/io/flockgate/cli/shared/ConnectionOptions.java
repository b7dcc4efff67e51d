package io.flockgate.cli.shared;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.support.Trust;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * The options of a connection, the same for every sub-command.
 *
 * @param trust the certificates to trust instead of Java's own authorities, for each connection
 */
public record ConnectionOptions(Servers servers, Optional<String> token, Optional<Supplier<SSLContext>> trust) {
    /** How to set the servers, for messages. */
    static final String SERVER_OPTION = "--server or FLOCKGATE_SERVER";

    private static final Option<String> SERVER =
            Option.of("server", "FLOCKGATE_SERVER", OptionType.text("address,…"), "", Rule.any(""));
    private static final String LINE_HELP =
            "Gateways of one cluster: host:port or flockgate://host:port, with TLS" + " flockgates://host:port.";

    /** The servers of a command that speaks the line protocol. */
    public static final Option<String> LINE = SERVER.showing("127.0.0.1:6388").help(LINE_HELP);

    /** The servers of a command that uses the REST API. */
    public static final Option<String> REST = LINE.help(LINE_HELP + " The gateway reports the port of its REST API,"
            + " --http-port. Where that port is not reachable on the same host, give the address: http://host:port or"
            + " https://host:port.");

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
     * @throws CommandException for options that cannot be used
     */
    public static ConnectionOptions of(Arguments arguments) {
        Optional<Supplier<SSLContext>> trust = arguments.text(CA_FILE).map(ConnectionOptions::trusting);
        Servers servers = arguments
                .given(SERVER)
                .map(given -> Servers.of(given.text(), given.name()))
                .orElse(Servers.LOCAL);
        return new ConnectionOptions(servers, token(arguments), trust);
    }

    /**
     * The Java client's options for this connection.
     *
     * @throws CommandException for addresses of the REST API, which the client does not use
     */
    public ConnectOptions client(IoThreads threads) {
        if (servers.isRest()) {
            URI first = servers.addresses().getFirst();
            String scheme = first.getScheme().equals("https") ? "flockgates" : "flockgate";
            throw CommandException.usage(first + " is an address of the REST API, and this command speaks the line"
                    + " protocol: set " + SERVER_OPTION + " to " + scheme + "://" + first.getHost()
                    + ":6388, or with the --port of the gateway");
        }
        ConnectOptions options = ConnectOptions.defaults().ioExecutor(threads);
        options = token.isPresent() ? options.authToken(token.get()) : options;
        return trust.isPresent() ? options.sslContext(trust.get()) : options;
    }

    /** Calls of the Java client's back end. */
    public interface Calls<T> {
        T make(LeaseBackend backend) throws ExecutionException;
    }

    /**
     * Makes one call of the Java client's back end, and waits for its result.
     *
     * @throws CommandException without a certain result
     */
    public <T> T call(Function<LeaseBackend, CompletionStage<T>> call) {
        try {
            return ask(options -> options, backend -> answer(call.apply(backend)));
        } catch (ExecutionException e) {
            throw CommandException.failed(failure(e));
        }
    }

    /**
     * Makes calls.
     *
     * @param more sets further options
     * @throws ExecutionException if a gateway refuses, or the result is not certain
     */
    public <T> T ask(UnaryOperator<ConnectOptions> more, Calls<T> calls) throws ExecutionException {
        return ask(servers.addresses(), more, calls);
    }

    /** The message of a failed call, with a hint. */
    public static String failure(ExecutionException e) {
        boolean unknown = e.getCause() instanceof LeaseUnavailableException failure && failure.mayHold();
        return (unknown ? "the result is unknown: " : "") + Hints.message(e);
    }

    private <T> T ask(List<URI> addresses, UnaryOperator<ConnectOptions> more, Calls<T> calls)
            throws ExecutionException {
        try (IoThreads threads = new IoThreads();
                LeaseBackend backend = Flockgate.backend(more.apply(client(threads)), addresses)) {
            return calls.make(backend);
        } catch (LeaseConfigException e) {
            throw CommandException.usage(String.valueOf(e.getMessage()));
        }
    }

    /** Waits for the result of a call. */
    public static <T> T answer(CompletionStage<T> call) throws ExecutionException {
        try {
            return call.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }

    /**
     * The REST API of one of these gateways.
     *
     * @throws ExecutionException if it cannot be reached, or has no REST API
     */
    URI restApi(URI address, Duration patience) throws ExecutionException {
        return ask(
                        List.of(address),
                        options -> options.clientName("flockgate-command"),
                        backend -> answer(backend.restApi(patience)))
                .orElseThrow(() -> new ExecutionException(new LeaseUnavailableException(
                        "the gateway has no REST API: start it with --http-port, as in --http-port 6389",
                        false,
                        null)));
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

    private static Supplier<SSLContext> trusting(String file) {
        try {
            return Trust.ofCurrentFile(Path.of(file));
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

    /**
     * The gateways of one cluster, tried in turn.
     *
     * @param addresses at least one, all with the same scheme
     */
    public record Servers(List<URI> addresses) {
        private static final List<String> SCHEMES = List.of("flockgate", "flockgates", "http", "https");

        /** The one server if none is given. */
        static final Servers LOCAL = of("127.0.0.1:6388", "");

        /**
         * Reads comma-separated addresses. {@code host:port} is the line protocol.
         *
         * @param source the option or the variable, for messages
         * @throws CommandException if a part is not an address, or the addresses are of different
         *     kinds
         */
        static Servers of(String text, String source) {
            List<URI> addresses = Stream.of(text.split(",", -1))
                    .map(each -> address(each.strip(), source))
                    .toList();
            List<String> kinds =
                    addresses.stream().map(URI::getScheme).distinct().toList();
            if (kinds.size() > 1) {
                throw CommandException.usage(
                        source + ": all addresses must be of one kind, and there are " + String.join(" and ", kinds));
            }
            return new Servers(addresses);
        }

        /** Whether these are addresses of the REST API instead of the line protocol. */
        boolean isRest() {
            return addresses.getFirst().getScheme().startsWith("http");
        }

        private static URI address(String text, String source) {
            String whole = text.contains("://") ? text : "flockgate://" + text;
            URI uri = uri(whole.replaceFirst("/$", ""), source);
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            if (!SCHEMES.contains(scheme)) {
                throw CommandException.usage(source + ": unknown scheme " + Quoting.quoted(uri.getScheme() + "://")
                        + "; there are flockgate:// and flockgates://, for some commands also http:// and https://");
            }
            // A password must not be shown.
            if (uri.getRawUserInfo() != null
                    || String.valueOf(uri.getRawAuthority()).contains("@")) {
                throw CommandException.usage(source + ": an address has no user or password; see --auth-token-file");
            }
            // Java's URI has no host if its name has an underscore.
            boolean bare = scheme.startsWith("http") || uri.getRawPath().isEmpty();
            if (uri.getRawAuthority() == null || uri.getRawQuery() != null || uri.getRawFragment() != null || !bare) {
                throw notAnAddress(source);
            }
            return URI.create(scheme + uri.toString().substring(scheme.length()));
        }

        private static URI uri(String text, String source) {
            try {
                return URI.create(text);
            } catch (IllegalArgumentException e) {
                throw notAnAddress(source);
            }
        }

        private static CommandException notAnAddress(String source) {
            return CommandException.usage(source + " must be like 127.0.0.1:6388 or flockgates://host:6388; several are"
                    + " separated by commas");
        }
    }

    /**
     * The threads of one claim's connections. Virtual threads would need a JVM thread that stays
     * blocked in the kernel, and on exit the JVM waits 300 ms for each such thread.
     */
    public static final class IoThreads implements Executor, AutoCloseable {
        private static final long PATIENCE_MILLIS = 500;

        // Tasks that arrive after the close concern connections that end with the process anyway.
        private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                1,
                TimeUnit.MINUTES,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-io").factory(),
                new DiscardPolicy());

        @Override
        public void execute(Runnable task) {
            threads.execute(task);
        }

        /** Accepts no further tasks, and waits briefly for those that end connections. */
        @Override
        public void close() {
            threads.shutdown();
            try {
                boolean unused = threads.awaitTermination(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
