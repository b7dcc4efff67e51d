package io.flockgate.cli.shared;

import io.flockgate.client.http.Reasons;
import io.flockgate.client.json.JsonObject;
import io.flockgate.text.PercentEncoding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A client of the REST API. Sends requests to the first server that can be reached. Blocks. */
public final class RestClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** More than a list or report of a gateway, and little enough for the heap of a command. */
    private static final long MAX_ANSWER_BYTES = 16 << 20;

    private static final char DELETE = 0x7f;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final String NEEDS_TOKEN = "the gateway needs a token that it knows: see --auth-token-file";

    private final List<URI> bases;
    private final Optional<String> token;
    private final HttpClient http;

    /**
     * A response of the gateway.
     *
     * @param body empty without one
     */
    public record ServerReply(int status, String body) {
        /** The body; without fields if it is not a JSON object. */
        public Answer answer() {
            return Answer.of(body).orElse(Answer.EMPTY);
        }

        /**
         * This response.
         *
         * @throws CommandException if it has another status
         */
        public ServerReply expecting(int wanted) {
            if (status != wanted) {
                throw refusal();
            }
            return this;
        }

        /** This response as a failure, in the gateway's words. */
        public CommandException refusal() {
            String error = answer().text("error");
            if (error.isEmpty()) {
                return CommandException.failed(
                        "the answer, with status " + status + ", is not a gateway's: is the address right?");
            }
            return CommandException.failed(RefusalText.of(error, "the request").orElseGet(() -> plainly(error)));
        }

        private String plainly(String error) {
            String sent = answer().text("detail");
            String detail = sent.isEmpty() && status == UNAUTHORIZED ? NEEDS_TOKEN : sent;
            return "refused with " + status + " " + error + (detail.isEmpty() ? "" : ": " + detail);
        }
    }

    private RestClient(List<URI> bases, Optional<String> token, HttpClient http) {
        this.bases = List.copyOf(bases);
        this.token = token;
        this.http = http;
    }

    /**
     * A client of these servers.
     *
     * @throws CommandException for a token that no header can carry. The HTTP client would refuse
     *     it too, but its message would show the token
     */
    public static RestClient of(ConnectionOptions connection, Servers.Rest servers) {
        boolean printable =
                connection.token().stream().allMatch(token -> token.chars().allMatch(c -> c >= ' ' && c < DELETE));
        if (!printable) {
            throw CommandException.usage("the token must be one line of ASCII to be sent as Bearer");
        }
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(PATIENCE).proxy(HttpClient.Builder.NO_PROXY);
        connection.trust().ifPresent(builder::sslContext);
        return new RestClient(servers.addresses(), connection.token(), builder.build());
    }

    /**
     * A text as one segment of a path or query. Dots are escaped too, because {@code ..} would name
     * the parent.
     */
    public static String encoded(String text) {
        return PercentEncoding.of(text, StandardCharsets.UTF_8).replace(".", "%2E");
    }

    /**
     * Sends a request outside of sessions, without a body.
     *
     * @throws CommandException if there is no answer
     */
    public ServerReply ask(String method, String pathAndQuery) {
        return ask(method, pathAndQuery, Optional.empty(), "");
    }

    /**
     * Begins a session; the answer contains its {@code session_id}.
     *
     * @param self the client's description of itself; empty for none
     * @throws CommandException if there is no answer, or the gateway refuses
     */
    public Answer begin(JsonObject self) {
        String body = self.members().isEmpty() ? "" : self.toString();
        ServerReply begun = ask("POST", "/v1/sessions", Optional.empty(), body);
        Answer session = begun.answer();
        if (begun.status() != OK || session.text("session_id").isEmpty()) {
            throw begun.refusal();
        }
        return session;
    }

    /**
     * Sends a request within a session.
     *
     * @param session the session's id
     * @throws CommandException if there is no answer
     */
    public ServerReply ask(String method, String pathAndQuery, Optional<String> session, String body) {
        return ask(method, pathAndQuery, session, body, Duration.ZERO);
    }

    /**
     * The same for a request that the gateway may answer late.
     *
     * @param wait the additional time that it may take
     */
    public ServerReply ask(String method, String pathAndQuery, Optional<String> session, String body, Duration wait) {
        return atFirst(base -> {
            BodyPublisher publisher = body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
            HttpRequest.Builder request =
                    request(base, pathAndQuery).timeout(PATIENCE.plus(wait)).method(method, publisher);
            session.ifPresent(id -> request.header("X-Dflockd-Session", id));
            HttpResponse<String> response = whole(request.build(), PATIENCE.plus(wait));
            return new ServerReply(response.statusCode(), response.body());
        });
    }

    /** Sends a request, and waits for its whole answer. The JDK's timeout does not cover it. */
    private HttpResponse<String> whole(HttpRequest request, Duration patience)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> answer =
                http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_ANSWER_BYTES));
        try {
            return answer.get(patience.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new HttpTimeoutException("the answer was not complete in time");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        }
    }

    /**
     * Follows a streamed answer until it ends or this client is closed.
     *
     * @param line receives each line of an answer with the status 200
     * @return the status
     * @throws CommandException if there is no answer
     */
    public int follow(String pathAndQuery, Consumer<String> line) {
        HttpResponse<Stream<String>> response =
                atFirst(base -> http.send(request(base, pathAndQuery).GET().build(), BodyHandlers.ofLines()));
        try (Stream<String> lines = response.body()) {
            if (response.statusCode() == OK) {
                lines.forEach(line);
            }
        } catch (UncheckedIOException e) {
            // The answer was cut off.
        }
        return response.statusCode();
    }

    private interface Question<T> {
        T ask(URI base) throws IOException, InterruptedException;
    }

    private <T> T atFirst(Question<T> question) {
        Iterator<URI> left = bases.iterator();
        while (true) {
            URI base = left.next();
            try {
                return question.ask(base);
            } catch (ConnectException | HttpConnectTimeoutException e) {
                // Nothing was sent: another server may be asked.
                if (!left.hasNext()) {
                    throw failure(base, e);
                }
            } catch (IOException e) {
                throw failure(base, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CommandException.failed("interrupted");
            }
        }
    }

    private HttpRequest.Builder request(URI base, String pathAndQuery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + pathAndQuery));
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return request;
    }

    private static CommandException failure(URI base, IOException e) {
        return CommandException.failed(
                Hints.added("no answer from " + Hints.withReason(base.toString(), Reasons.of(e))));
    }

    /** Ends the connections, because their thread would delay JVM exit. */
    @Override
    public void close() {
        http.shutdownNow();
    }
}
