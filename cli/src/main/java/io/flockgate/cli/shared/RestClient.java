package io.flockgate.cli.shared;

import io.flockgate.cli.shared.Json.JsonAnswer;
import io.flockgate.client.support.HostAddresses;
import io.flockgate.client.support.Reasons;
import io.flockgate.client.support.Refusals;
import io.flockgate.client.support.Trust;
import io.flockgate.text.PercentEncoding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * A client of the REST API of the first gateway that answers. Blocks. Thread safe.
 *
 * <ol>
 *   <li>It tries the place that answered last, and then each address in turn. A gateway of the line
 *       protocol is asked for the port of its REST API. A host's name has a place for each of its
 *       addresses, because the JDK tries only the first.
 *   <li>While there is another place, each has at most a second to connect and to begin its answer.
 *       If none has answered, each is tried once more, with ten seconds.
 *   <li>Once a request has a connection, only one that changes nothing is sent again.
 * </ol>
 */
public final class RestClient {
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** More than a list or report of a gateway, and little enough for the heap of a command. */
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    private static final char DELETE = 0x7f;
    private static final int OK = 200;
    private static final int FIRST_ERROR = 400;

    private final ConnectionOptions connection;
    private final List<URI> addresses;

    /** The places of the address that answered last; the one that did so comes first. */
    private volatile List<Place> known = List.of();

    /** One for each place, because the JDK uses a connection again only with the same one. */
    private final Map<Place, PlaceSockets> sockets = new ConcurrentHashMap<>();

    /**
     * A URL of a REST API.
     *
     * @param at the URL at an address of its host after the first, which the JDK would not try;
     *     null for the first
     */
    private record Place(URI named, @Nullable URI at) {
        static List<Place> all(URI named) {
            return Stream.concat(
                            Stream.of(new Place(named, null)),
                            HostAddresses.of(named).stream().skip(1).map(at -> new Place(named, at)))
                    .toList();
        }

        boolean tls() {
            return named.getScheme().equals("https");
        }

        /** With TLS the name stays, for which the certificate was issued. */
        URI url() {
            return at == null || tls() ? named : at;
        }

        @Override
        public String toString() {
            return url() + (at != null && tls() ? " (" + at.getHost() + ")" : "");
        }
    }

    /**
     * A response of the REST API.
     *
     * @param body empty without one
     */
    public record ServerReply(int status, String body) {
        private static final int UNAUTHORIZED = 401;
        private static final String NEEDS_TOKEN = "the gateway needs a token that it knows: see --auth-token-file";

        /** The body; without fields if it is not a JSON object. */
        public JsonAnswer answer() {
            return JsonAnswer.of(body).orElse(JsonAnswer.EMPTY);
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
            if (error.equals("draining")) {
                return CommandException.failed(Refusals.draining("the gateway", "the request"));
            }
            return CommandException.failed(
                    Refusals.isLimit(error) ? Refusals.of(error, "the gateway", "the request") : plainly(error));
        }

        private String plainly(String error) {
            String sent = answer().text("detail");
            String detail = sent.isEmpty() && status == UNAUTHORIZED ? NEEDS_TOKEN : sent;
            return "refused with " + status + " " + error + (detail.isEmpty() ? "" : ": " + detail);
        }
    }

    /** A client of these servers. */
    public RestClient(ConnectionOptions connection) {
        this.connection = connection;
        this.addresses = connection.servers().addresses();
    }

    /**
     * A text as one segment of a path or query. Dots are escaped too, because {@code ..} would name
     * the parent.
     */
    public static String encoded(String text) {
        return PercentEncoding.of(text, StandardCharsets.UTF_8).replace(".", "%2E");
    }

    /**
     * Sends a request without a body.
     *
     * @throws CommandException if there is no answer, or no header can carry the token
     */
    public ServerReply ask(String method, String pathAndQuery) {
        return new Trial<>(method, pathAndQuery, false, RestClient::whole).result();
    }

    /**
     * Follows a streamed answer until it ends or this thread, a virtual one, is interrupted.
     *
     * @param line receives each line of an answer with the status 200
     * @return the status
     * @throws CommandException if there is no answer
     */
    public int follow(String pathAndQuery, Consumer<String> line) {
        Exchange<Integer> following = request -> {
            int status = request.getResponseCode();
            if (status == OK) {
                try (InputStream in = request.getInputStream()) {
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
                            .lines()
                            .forEach(line);
                } catch (UncheckedIOException e) {
                    throw e.getCause();
                }
            }
            return status;
        };
        return new Trial<>("GET", pathAndQuery, true, following).result();
    }

    private interface Exchange<T> {
        /** Returns what a server answers to a request; the connection is open. */
        T answer(HttpURLConnection request) throws IOException;
    }

    /** A request that is sent to one place after the other. */
    private final class Trial<T> {
        private final String method;
        private final String pathAndQuery;
        private final boolean endless;
        private final Exchange<T> exchange;
        private final Set<Place> tried = new HashSet<>();
        private final Set<String> failures = new LinkedHashSet<>();
        private Duration time = FIRST_PATIENCE;
        private boolean hurried;

        /**
         * @param endless whether the parts of the answer may be hours apart
         */
        Trial(String method, String pathAndQuery, boolean endless, Exchange<T> exchange) {
            this.method = method;
            this.pathAndQuery = pathAndQuery;
            this.endless = endless;
            this.exchange = exchange;
        }

        T result() {
            return anywhere().or(this::again).orElseThrow(this::failure);
        }

        private Optional<T> again() {
            if (!hurried) {
                return Optional.empty();
            }
            time = PATIENCE;
            tried.clear();
            failures.clear();
            return anywhere();
        }

        private CommandException failure() {
            return CommandException.failed(Hints.added(String.join("; ", failures)));
        }

        private Optional<T> anywhere() {
            Optional<T> answer = atOneOf(known);
            for (int i = 0; i < addresses.size() && answer.isEmpty(); i++) {
                answer = atOneOf(places(addresses.get(i)));
            }
            return answer;
        }

        private List<Place> places(URI address) {
            if (connection.servers().isRest()) {
                return Place.all(address);
            }
            try {
                return Place.all(connection.restApi(address, timeForOneOf(1)));
            } catch (ExecutionException e) {
                failures.add(Hints.reason(e));
                return List.of();
            }
        }

        /** The whole time if there is no other place. */
        private Duration timeForOneOf(int places) {
            boolean only = addresses.size() == 1 && places == 1;
            hurried |= !only;
            return only ? PATIENCE : time;
        }

        private Optional<T> atOneOf(List<Place> places) {
            for (Place place : places) {
                if (tried.add(place)) {
                    Optional<T> answer = at(place, timeForOneOf(places.size()));
                    if (answer.isPresent()) {
                        Stream<Place> others = places.stream().filter(each -> !each.equals(place));
                        known = Stream.concat(Stream.of(place), others).toList();
                        return answer;
                    }
                }
            }
            return Optional.empty();
        }

        private Optional<T> at(Place place, Duration patience) {
            boolean reached = false;
            try {
                HttpURLConnection request = request(place, patience);
                request.connect();
                reached = true;
                return Optional.of(exchange.answer(request));
            } catch (IOException e) {
                failures.add("no answer from " + Hints.withReason(place.toString(), Reasons.of(e)));
                if (reached && !method.equals("GET")) {
                    throw failure();
                }
                return Optional.empty();
            }
        }

        private HttpURLConnection request(Place place, Duration patience) throws IOException {
            boolean changes = !method.equals("GET");
            Duration reading = endless ? Duration.ZERO : changes ? PATIENCE : patience;
            HttpURLConnection request = connection(URI.create(place.url() + pathAndQuery), patience, reading);
            if (request instanceof HttpsURLConnection secure) {
                secure.setSSLSocketFactory(sockets.computeIfAbsent(place, this::sockets));
            }
            request.setRequestMethod(method);
            connection
                    .token()
                    .ifPresent(token -> request.setRequestProperty("Authorization", "Bearer " + sendable(token)));
            return request;
        }

        private PlaceSockets sockets(Place place) {
            URI at = place.at();
            return new PlaceSockets(connection.trust().orElse(Trust::ofJvm), at == null ? null : at.getHost());
        }
    }

    /** The JDK would refuse another token too, but its message would show the token. */
    private static String sendable(String token) {
        if (!token.chars().allMatch(c -> c >= ' ' && c < DELETE)) {
            throw CommandException.usage("the token must be one line of ASCII to be sent as Bearer");
        }
        return token;
    }

    /**
     * A direct connection, not yet opened, that follows no redirects.
     *
     * @param connecting the maximum time to connect
     * @param reading the maximum time between two parts of the answer; zero for no limit
     */
    public static HttpURLConnection connection(URI address, Duration connecting, Duration reading) throws IOException {
        HttpURLConnection request = (HttpURLConnection) address.toURL().openConnection(Proxy.NO_PROXY);
        request.setInstanceFollowRedirects(false);
        request.setConnectTimeout((int) connecting.toMillis());
        request.setReadTimeout((int) reading.toMillis());
        request.setRequestProperty("Accept", "*/*");
        return request;
    }

    /** The whole answer to a request, of at most 16 MiB. */
    public static ServerReply reply(HttpURLConnection request) throws IOException {
        int status = request.getResponseCode();
        if (status < 0) {
            throw new IOException("it does not speak HTTP at this port");
        }
        try (InputStream in = status < FIRST_ERROR ? request.getInputStream() : request.getErrorStream()) {
            byte[] body = in == null ? new byte[0] : in.readNBytes(MAX_ANSWER_BYTES + 1);
            if (body.length > MAX_ANSWER_BYTES) {
                request.disconnect();
                throw new IOException("its answer is longer than 16 MiB");
            }
            return new ServerReply(status, new String(body, StandardCharsets.UTF_8));
        }
    }

    /** Waits for the whole answer, because the JDK's timeout covers only each part of it. */
    private static ServerReply whole(HttpURLConnection request) throws IOException {
        FutureTask<ServerReply> answer = new FutureTask<>(() -> reply(request));
        Thread unused = Thread.ofPlatform().daemon().name("flockgate-http").start(answer);
        try {
            return answer.get(PATIENCE.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            request.disconnect();
            throw new SocketTimeoutException("the answer was not complete in time");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandException.failed("interrupted");
        }
    }
}
