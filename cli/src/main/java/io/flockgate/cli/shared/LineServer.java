package io.flockgate.cli.shared;

import io.flockgate.client.http.Reasons;
import io.flockgate.text.Quoting;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A server of the line protocol, with a new connection for each request. Blocks. */
public final class LineServer {
    private static final int PATIENCE_MILLIS = (int) Duration.ofSeconds(10).toMillis();
    private static final int DEFAULT_PORT = 6388;
    private static final String NAME = "flockgate-command";

    /** The server's line has no upper bound. */
    private static final int MAX_BYTES = 64 * 1024 * 1024;

    private final ConnectionOptions connection;
    private final List<URI> addresses;

    public LineServer(ConnectionOptions connection, Servers.Line servers) {
        this.connection = connection;
        this.addresses = servers.addresses();
    }

    /**
     * The statistics of the first server that answers.
     *
     * @throws CommandException if none does
     */
    public Answer stats() {
        String reply = ask("stats", "_", "_", false);
        refuseUnlessServed(reply);
        return Optional.of(reply)
                .filter(line -> line.startsWith("ok "))
                .flatMap(line -> Answer.of(line.substring("ok ".length())))
                .orElseThrow(() -> CommandException.failed(
                        "the answer is not a gateway's: is " + ConnectionOptions.SERVER_OPTION + " right?"));
    }

    /**
     * The reply of the first server that can be reached. Another is asked only if the command was
     * not sent: it would report as a failure what the first has already done.
     *
     * @throws CommandException if none can be reached, or the result is unknown
     */
    public String change(String command, String key, String argument) {
        return ask(command, key, argument, true);
    }

    private String ask(String command, String key, String argument, boolean once) {
        String frame = command + "\n" + key + "\n" + argument + "\n";
        return atFirst((address, socket) -> ask(address, socket, frame, once));
    }

    private interface Question<T> {
        T ask(URI address, Socket socket) throws IOException;
    }

    private <T> T atFirst(Question<T> question) {
        StringBuilder failures = new StringBuilder("no answer from ");
        String separator = "";
        for (URI address : addresses) {
            try (Socket socket = connect(address)) {
                return question.ask(address, socket);
            } catch (IOException e) {
                failures.append(separator).append(withReason(address, e));
                separator = "; ";
            }
        }
        throw CommandException.failed(Hints.added(failures.toString()));
    }

    /**
     * The reply of the first gateway that can be reached to a claim whose grant outlives this
     * client.
     *
     * @param wait the additional time that the gateway may take to answer
     * @throws CommandException if none can be reached, or the result is unknown
     */
    public String claimDetached(String name, String command, String key, String argument, Duration wait) {
        return atFirst((address, socket) -> {
            InputStream in = authenticated(socket);
            if (!hello(socket, in, name, "detached").contains(" detached")) {
                throw CommandException.failed(address.getAuthority()
                        + " refuses the name, or is no gateway: it cannot keep a lock without its client");
            }
            socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, PATIENCE_MILLIS + wait.toMillis()));
            send(socket, command + "\n" + key + "\n" + argument + "\n");
            try {
                return served(in);
            } catch (IOException e) {
                throw unknown(address, e);
            }
        });
    }

    /**
     * The REST API of the first gateway that answers. It is on the same host, and the answer to
     * {@code hello} contains its port.
     *
     * @throws CommandException if none answers, or the one that does has no REST API
     */
    public Servers.Rest rest() {
        return atFirst((address, socket) -> offered(address, socket)
                .orElseThrow(() -> CommandException.failed(
                        address.getAuthority() + " has no REST API: start the gateway with --http-port, or set "
                                + ConnectionOptions.SERVER_OPTION + " to http://…")));
    }

    /**
     * The same, but empty if the first server that answers has no REST API.
     *
     * @throws CommandException if none answers
     */
    public Optional<Servers.Rest> restIfAny() {
        return atFirst(this::offered);
    }

    private Optional<Servers.Rest> offered(URI address, Socket socket) throws IOException {
        InputStream in = authenticated(socket);
        return Servers.rest(address, hello(socket, in, NAME, "http"));
    }

    private static String withReason(URI address, IOException e) {
        String reason = Reasons.of(e).replace("in time", "within " + PATIENCE_MILLIS / 1_000 + " s");
        return Hints.withReason(address.getAuthority(), reason);
    }

    /** A reply that refuses, in words. */
    public static String refusal(String reply, String what) {
        return RefusalText.of(reply.replaceFirst("^error_", ""), what)
                .orElse("the gateway answers " + Quoting.quoted(reply) + " to " + what);
    }

    private InputStream authenticated(Socket socket) throws IOException {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        if (connection.token().isPresent()) {
            send(socket, "auth\n_\n" + connection.token().get() + "\n");
            // A server that needs no token answers error to auth, and serves every client.
            String unused = served(in);
        }
        return in;
    }

    private static String hello(String name, String options) {
        return "hello\n" + name + "\n" + options + "\n";
    }

    private static String hello(Socket socket, InputStream in, String name, String options) throws IOException {
        send(socket, hello(name, options));
        return served(in);
    }

    /**
     * Sends a request. A server that supports it is asked to distinguish a token that is not held
     * from a failure.
     */
    private String ask(URI address, Socket socket, String frame, boolean once) throws IOException {
        InputStream in = authenticated(socket);
        try {
            send(socket, hello(NAME, "reasons") + frame);
            String unused = served(in);
            return line(in);
        } catch (IOException e) {
            if (once) {
                throw unknown(address, e);
            }
            throw e;
        }
    }

    private static CommandException unknown(URI address, IOException e) {
        return CommandException.failed("the result is unknown: no answer from " + withReason(address, e));
    }

    private static String served(InputStream in) throws IOException {
        String reply = line(in);
        refuseUnlessServed(reply);
        return reply;
    }

    private static void refuseUnlessServed(String reply) {
        if (reply.equals("error_auth")) {
            throw CommandException.failed(
                    Hints.added("the server does not accept the token, or the token has no right to do that"));
        }
    }

    private Socket connect(URI address) throws IOException {
        int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
        String host = address.getHost().replaceAll("^\\[|]$", "");
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return address.getScheme().equals("flockgates") ? secured(socket, host, port) : socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private Socket secured(Socket socket, String host, int port) throws IOException {
        try {
            SSLContext context =
                    connection.trust().isPresent() ? connection.trust().get() : SSLContext.getDefault();
            SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return secure;
        } catch (NoSuchAlgorithmException e) {
            throw new IOException("this Java has no TLS", e);
        }
    }

    private static void send(Socket socket, String frame) throws IOException {
        socket.getOutputStream().write(frame.getBytes(StandardCharsets.UTF_8));
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next != '\n') {
            if (next < 0) {
                throw new EOFException("the connection was closed");
            }
            if (line.size() >= MAX_BYTES) {
                throw new IOException("its statistics are too long");
            }
            line.write(next);
            next = in.read();
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
