package io.flockgate.client;

import io.flockgate.client.support.Trust;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a connection to a server. Immutable: each method with an argument returns a
 * changed copy. Safe from any thread.
 *
 * {@snippet :
 * ConnectOptions options = ConnectOptions.defaults().clientName("billing-7").authToken(System.getenv("FLOCKGATE_TOKEN"));
 * LeaseProvider leases = Flockgate.connect(options, List.of(URI.create("flockgate://gate-1:6388")));
 * }
 *
 * @param clientName the client's name for operators
 * @param authToken the server's token; null for none
 * @param sslContext supplies trust and keys for a new connection. The JVM's own take long to load
 * @param ioExecutor the user's threads, for tasks that may block; null for those of the back end
 * @param environment clocks, timers and threads
 */
public record ConnectOptions(
        String clientName,
        @Nullable String authToken,
        Supplier<SSLContext> sslContext,
        @Nullable Executor ioExecutor,
        LeaseEnvironment environment) {
    private static final int MAX_HOST_LENGTH = 60;
    private static final ConnectOptions DEFAULTS =
            new ConnectOptions(processName(), null, Trust::ofJvm, null, LeaseEnvironment.system());

    public ConnectOptions {
        Checks.given("clientName", clientName);
        Checks.name("client name", clientName, 128);
        Checks.given("sslContext", sslContext);
        Checks.given("environment", environment);
        authToken = authToken == null ? null : token(authToken);
    }

    private static String token(String text) {
        String trimmed = text.strip();
        Checks.that(!trimmed.isEmpty(), "the token is empty");
        boolean printable = trimmed.chars().allMatch(c -> c > ' ' && c != 0x7f);
        Checks.that(printable, "the token has white space or control characters within");
        return trimmed;
    }

    /** Host name and process id. */
    private static String processName() {
        String name = System.getenv("HOSTNAME");
        String host = name != null && !name.isBlank() ? name : localHost();
        String printable = host.replaceAll("[^\\x21-\\x7e]", "_");
        return printable.substring(0, Math.min(printable.length(), MAX_HOST_LENGTH)) + "-"
                + ProcessHandle.current().pid();
    }

    private static String localHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unnamed) {
            return "localhost";
        }
    }

    /** No token, the JVM's trust for TLS, and a client name made of host and process. */
    public static ConnectOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Names the client for operators: 1 to 128 printable ASCII characters without blanks.
     *
     * @throws LeaseConfigException if the name has any other form
     */
    public ConnectOptions clientName(String clientName) {
        return new ConnectOptions(clientName, authToken, sslContext, ioExecutor, environment);
    }

    /**
     * The server's token. Read it from a file or the environment, not from the source. Leading and
     * trailing white space is removed.
     *
     * @throws LeaseConfigException if it is empty, or contains white space or control characters
     */
    public ConnectOptions authToken(String authToken) {
        return new ConnectOptions(
                clientName, Checks.given("authToken", authToken), sslContext, ioExecutor, environment);
    }

    /**
     * Trust and keys for {@code flockgates://}. Default: those of the JVM. The server's name is
     * always checked.
     */
    public ConnectOptions sslContext(SSLContext sslContext) {
        Checks.given("sslContext", sslContext);
        return sslContext(() -> sslContext);
    }

    /**
     * The same from a source that is asked for each new connection, so that certificates may be
     * replaced. It is called on the threads of connections, and may block.
     */
    public ConnectOptions sslContext(Supplier<SSLContext> sslContext) {
        return new ConnectOptions(clientName, authToken, sslContext, ioExecutor, environment);
    }

    /**
     * Threads that read and write the connections, and may block while a connection lasts: one for
     * each connection, and briefly more. The executor must not have a small fixed number of
     * threads, and must not reject tasks before the provider is closed. Default: virtual threads
     * where the JVM has them, otherwise daemon threads.
     */
    public ConnectOptions ioExecutor(Executor ioExecutor) {
        Checks.given("ioExecutor", ioExecutor);
        return new ConnectOptions(clientName, authToken, sslContext, ioExecutor, environment);
    }

    /** Clocks, timers and threads. Default: {@link LeaseEnvironment#system()}. */
    public ConnectOptions environment(LeaseEnvironment environment) {
        return new ConnectOptions(clientName, authToken, sslContext, ioExecutor, environment);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "client " + clientName + (authToken != null ? ", with a token" : "");
    }
}
