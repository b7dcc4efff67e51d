package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.ResponseJson;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.http.Header;
import org.apache.http.HttpClientConnection;
import org.apache.http.HttpEntity;
import org.apache.http.HttpException;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.client.HttpClient;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.HttpRequestWrapper;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.config.Lookup;
import org.apache.http.config.MessageConstraints;
import org.apache.http.config.SocketConfig;
import org.apache.http.conn.routing.HttpRoute;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.entity.ByteArrayEntity;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.impl.conn.DefaultHttpClientConnectionOperator;
import org.apache.http.impl.conn.DefaultManagedHttpClientConnection;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;
import org.apache.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * A pool of connections, and an HTTP client over it that never repeats a request, sends it
 * elsewhere or fills the heap: it has no retries, redirects, proxies, cookies or compression, and
 * it limits the size of an answer. It sends only the {@link Pending} of its thread.
 */
final class BoundedHttpClient implements AutoCloseable {
    /**
     * The entries of a response, parsed while its bytes arrive, so that the heap never contains the
     * whole text of a long list.
     *
     * @param malformed the reason why the response cannot be read; null when it can
     */
    record Listing(List<KvEntry> entries, @Nullable JsonException malformed) {
        static final Listing NONE = new Listing(List.of(), null);

        /**
         * Reads a list of entries.
         *
         * @throws IOException when the connection fails, or the response has too many bytes
         */
        static Listing read(InputStream body, int maxBytes) throws IOException {
            Bounded bounded = new Bounded(body, maxBytes);
            try {
                return new Listing(ResponseJson.entries(bounded), null);
            } catch (JsonException e) {
                return new Listing(List.of(), e);
            }
        }

        /** Returns the entries, or throws the reason why they cannot be read. */
        List<KvEntry> required() {
            if (malformed != null) {
                throw malformed;
            }
            return entries;
        }

        /** A stream with a maximum length. */
        private static final class Bounded extends FilterInputStream {
            private final int max;
            private int count;

            Bounded(InputStream in, int max) {
                super(in);
                this.max = max;
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int got = super.read(bytes, from, length);
                count += Math.max(0, got);
                if (count > max) {
                    throw new BoundedHttpClient.AnswerTooLargeException(max);
                }
                return got;
            }
        }
    }

    private static final String FILTERED = "X-Consul-Results-Filtered-By-ACLs";
    private static final int BUFFER = 8 * 1024;
    private static final MessageConstraints HEAD = MessageConstraints.custom()
            .setMaxLineLength(16 * 1024)
            .setMaxHeaderCount(100)
            .build();

    /** The idle time after which a connection is checked, because a stopped agent has closed it. */
    private static final int VALIDATE_AFTER_MILLIS = 500;

    private final PoolingHttpClientConnectionManager connections;
    private final Limits limits;
    private final String scope;

    /**
     * The time limits in milliseconds, and the maximum size of an answer in bytes.
     *
     * @param command longer than the 7 s for which Consul holds a request while there is no leader,
     *     and shorter than the sessions' TTL
     * @param watchExtra added to the time that Consul may wait before it answers a watch
     * @param lease the wait for a free connection from a pool
     */
    record Limits(int connect, int command, int renewal, int watchExtra, int lease, int answer) {
        static final Limits STANDARD = new Limits(1000, 9000, 3000, 5000, 1000, ConsulApi.MAX_ANSWER_BYTES);

        Limits withCommand(int other) {
            return new Limits(connect, other, renewal, watchExtra, lease, answer);
        }
    }

    /**
     * A request in progress. Ecwid's client passes on only an endpoint and a string, so the thread
     * carries this object past it in a scoped value. Confined to the sending thread.
     */
    static final class Pending {
        /** The request that this thread is sending. */
        static final ScopedValue<Pending> CURRENT = ScopedValue.newInstance();

        final @Nullable String token;
        final int timeoutMillis;

        /** Whether a good response is a list of entries. */
        final boolean lists;

        /** The entries of the response. */
        Listing list = Listing.NONE;

        /** Whether the request may have reached Consul. */
        boolean sent;

        /** The address of its connection; null when it was not sent. */
        @Nullable
        InetAddress at;

        /** Whether the request is the first of its connection. */
        boolean first;

        Pending(@Nullable String token, int timeoutMillis, boolean lists) {
            this.token = token;
            this.timeoutMillis = timeoutMillis;
            this.lists = lists;
        }
    }

    /**
     * @param sockets by scheme
     * @param addresses the addresses of the agent's name
     * @param lifeMinutes the maximum life of a connection; negative for no maximum
     * @param scope the parameters added to every request, such as {@code ns=team}
     */
    BoundedHttpClient(
            Lookup<ConnectionSocketFactory> sockets,
            AgentAddresses addresses,
            int pool,
            int lifeMinutes,
            Limits limits,
            List<String> scope) {
        this.limits = limits;
        this.scope = String.join("&", scope);
        this.connections = new PoolingHttpClientConnectionManager(
                new DefaultHttpClientConnectionOperator(sockets, null, addresses),
                (route, config) -> new Connection(addresses, limits.command()),
                lifeMinutes,
                TimeUnit.MINUTES);
        connections.setMaxTotal(pool);
        connections.setDefaultMaxPerRoute(pool);
        connections.setValidateAfterInactivity(VALIDATE_AFTER_MILLIS);
        // The time limit is that of a TLS handshake.
        connections.setDefaultSocketConfig(SocketConfig.custom()
                .setTcpNoDelay(true)
                .setSoTimeout(limits.connect())
                .build());
    }

    /** The client, for Ecwid's. */
    HttpClient client() {
        return HttpClientBuilder.create()
                .setConnectionManager(connections)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setConnectionRequestTimeout(limits.lease())
                        .setConnectTimeout(limits.connect())
                        .setNormalizeUri(false)
                        .build())
                .addInterceptorLast(this::prepare)
                .addInterceptorLast(this::read)
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableContentCompression()
                .disableAuthCaching()
                .disableConnectionState()
                .setUserAgent("flockgate")
                .build();
    }

    /** Completes a request after Ecwid's client has logged it. */
    private void prepare(HttpRequest request, HttpContext context) {
        String token = Pending.CURRENT.get().token;
        if (token != null) {
            request.setHeader("X-Consul-Token", token);
        }
        String uri = request.getRequestLine().getUri();
        if (!scope.isEmpty()) {
            ((HttpRequestWrapper) request).setURI(URI.create(uri + (uri.contains("?") ? "&" : "?") + scope));
        }
    }

    /**
     * A connection that records when a request may reach Consul, and logs nothing: Apache's own
     * logs heads, and with them the token.
     */
    private static final class Connection extends DefaultManagedHttpClientConnection {
        private final AgentAddresses addresses;
        private final int longest;

        /**
         * @param longest the longest time limit of a request that Consul answers at once
         */
        Connection(AgentAddresses addresses, int longest) {
            super("consul", BUFFER, BUFFER, null, null, HEAD, null, null, null, null);
            this.addresses = addresses;
            this.longest = longest;
        }

        @Override
        public void sendRequestHeader(HttpRequest request) throws HttpException, IOException {
            Pending pending = Pending.CURRENT.get();
            InetAddress at = getRemoteAddress();
            int millis = pending.timeoutMillis;
            setSocketTimeout(at == null || millis > longest ? millis : addresses.limit(at, millis));
            pending.at = at;
            pending.first = getMetrics().getRequestCount() == 0;
            pending.sent = true;
            super.sendRequestHeader(request);
        }
    }

    private void read(HttpResponse response, HttpContext context) throws IOException {
        Header filtered = response.getFirstHeader(FILTERED);
        String uri =
                HttpClientContext.adapt(context).getRequest().getRequestLine().getUri();
        if (filtered != null && filtered.getValue().equalsIgnoreCase("true") && uri.startsWith("/v1/kv/")) {
            throw new FilteredException();
        }
        HttpEntity entity = response.getEntity();
        if (entity != null) {
            response.setEntity(
                    new ByteArrayEntity(body(entity, response.getStatusLine().getStatusCode())));
        }
    }

    /** The body; empty for a list, which is parsed as it arrives, because it may be long. */
    private byte[] body(HttpEntity entity, int status) throws IOException {
        Pending pending = Pending.CURRENT.get();
        int max = limits.answer();
        if (entity.getContentLength() > max) {
            throw new AnswerTooLargeException(max);
        }
        try (InputStream content = entity.getContent()) {
            if (pending.lists && status == 200) {
                pending.list = Listing.read(content, max);
                return new byte[0];
            }
            byte[] body = content.readNBytes(max + 1);
            if (body.length > max) {
                throw new AnswerTooLargeException(max);
            }
            return body;
        }
    }

    /**
     * Opens connections before the first requests need them. Returns false when not all could be
     * opened.
     */
    boolean open(HttpHost agent, int count) {
        HttpRoute route = new HttpRoute(agent, null, agent.getSchemeName().equals("https"));
        List<HttpClientConnection> open = new ArrayList<>();
        try {
            while (open.size() < count) {
                HttpClientConnection next =
                        connections.requestConnection(route, null).get(limits.lease(), TimeUnit.MILLISECONDS);
                open.add(next);
                if (!next.isOpen()) {
                    HttpContext context = HttpClientContext.create();
                    connections.connect(next, route, limits.connect(), context);
                    connections.routeComplete(next, route, context);
                    // Without this call, the check for stale connections would fail.
                    boolean unused = next.isResponseAvailable(1);
                }
            }
            return true;
        } catch (IOException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            open.forEach(each -> connections.releaseConnection(each, null, 0, TimeUnit.MILLISECONDS));
        }
    }

    /** Closes the connections that are not in use. */
    void closeIdle() {
        connections.closeIdleConnections(0, TimeUnit.MILLISECONDS);
    }

    /** Closes all connections, including those in use. */
    @Override
    public void close() {
        connections.shutdown();
    }

    /** An answer was larger than this client accepts. */
    static final class AnswerTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        AnswerTooLargeException(int limit) {
            super("the answer has more than " + limit + " bytes");
        }
    }

    /** Consul left out entries, which would seem not to exist, and their holders to be dead. */
    static final class FilteredException extends IOException {
        private static final long serialVersionUID = 1L;

        FilteredException() {
            super("Permission denied: Consul left out entries that the token may not read");
        }
    }
}
