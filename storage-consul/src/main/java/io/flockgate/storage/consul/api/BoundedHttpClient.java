package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.KvEntry;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
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
import org.apache.http.NoHttpResponseException;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpRequestBase;
import org.apache.http.client.protocol.HttpClientContext;
import org.apache.http.config.MessageConstraints;
import org.apache.http.config.Registry;
import org.apache.http.config.SocketConfig;
import org.apache.http.conn.routing.HttpRoute;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.entity.ByteArrayEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.impl.conn.DefaultManagedHttpClientConnection;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;
import org.apache.http.protocol.HttpContext;
import org.apache.http.protocol.HttpRequestExecutor;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client with its own pool. It never repeats a request, sends it elsewhere or fills the
 * heap: it has no retries, redirects, proxies, cookies or compression, and it limits the size of an
 * answer. It sends only the {@link PendingRequest} of its thread.
 */
final class BoundedHttpClient extends CloseableHttpClient {
    private static final String TOKEN = "X-Consul-Token";
    private static final String FILTERED = "X-Consul-Results-Filtered-By-ACLs";
    private static final int BUFFER = 8 * 1024;
    private static final MessageConstraints HEAD = MessageConstraints.custom()
            .setMaxLineLength(16 * 1024)
            .setMaxHeaderCount(100)
            .build();
    /**
     * The idle time after which a connection is checked before use, because a stopped agent has
     * closed it.
     */
    private static final int VALIDATE_AFTER_MILLIS = 500;

    private final CloseableHttpClient client;
    private final PoolingHttpClientConnectionManager connections;
    private final int connectMillis;
    private final int leaseMillis;
    private final int maxAnswer;

    /**
     * @param lifeMinutes the maximum life of a connection; 0 for no maximum
     * @param maxAnswer the maximum size of a body in bytes
     */
    BoundedHttpClient(
            Registry<ConnectionSocketFactory> sockets,
            int pool,
            int lifeMinutes,
            int connectMillis,
            int leaseMillis,
            int maxAnswer) {
        this.connectMillis = connectMillis;
        this.leaseMillis = leaseMillis;
        this.maxAnswer = maxAnswer;
        this.connections = connections(sockets, pool, lifeMinutes, connectMillis);
        this.client = HttpClientBuilder.create()
                .setConnectionManager(connections)
                .setRequestExecutor(new Executor())
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableContentCompression()
                .disableAuthCaching()
                .disableConnectionState()
                .setUserAgent("flockgate")
                .build();
    }

    private static PoolingHttpClientConnectionManager connections(
            Registry<ConnectionSocketFactory> sockets, int pool, int lifeMinutes, int handshakeMillis) {
        // The default connections log heads, and with them the token, at debug level.
        var connections = new PoolingHttpClientConnectionManager(
                sockets,
                (route, config) -> new DefaultManagedHttpClientConnection(
                        "consul", BUFFER, BUFFER, null, null, HEAD, null, null, null, null),
                null,
                null,
                lifeMinutes == 0 ? -1 : lifeMinutes,
                TimeUnit.MINUTES);
        connections.setMaxTotal(pool);
        connections.setDefaultMaxPerRoute(pool);
        connections.setValidateAfterInactivity(VALIDATE_AFTER_MILLIS);
        connections.setDefaultSocketConfig(SocketConfig.custom()
                .setTcpNoDelay(true)
                .setSoTimeout(handshakeMillis)
                .build());
        return connections;
    }

    @Override
    protected CloseableHttpResponse doExecute(HttpHost target, HttpRequest request, @Nullable HttpContext context)
            throws IOException {
        PendingRequest exchange = PendingRequest.CURRENT.get();
        HttpRequestBase base = (HttpRequestBase) request;
        base.setConfig(limits(exchange));
        // Added after Ecwid's client has logged the request, so that the log does not contain the
        // token.
        base.removeHeaders(TOKEN);
        String token = exchange.token();
        if (token != null) {
            base.addHeader(TOKEN, token);
        }
        exchange.begin(base);
        CloseableHttpResponse response = client.execute(target, base, context);
        try {
            take(response, exchange);
        } catch (IOException | RuntimeException e) {
            response.close();
            throw e;
        }
        // Ecwid's client would copy the body into a string, through a buffer twice as large.
        response.setEntity(new ByteArrayEntity(new byte[0]));
        return response;
    }

    private void take(HttpResponse response, PendingRequest exchange) throws IOException {
        HttpEntity entity = response.getEntity();
        List<KvEntry> known = exchange.known();
        if (entity != null && known != null && response.getStatusLine().getStatusCode() == 200) {
            requireBounded(entity);
            try (InputStream content = entity.getContent()) {
                exchange.listed(Listing.read(content, maxAnswer, known), filtered(response));
            }
        } else {
            exchange.answered(read(entity), filtered(response));
        }
    }

    private void requireBounded(HttpEntity entity) throws IOException {
        if (entity.getContentLength() > maxAnswer) {
            throw new AnswerTooLargeException(maxAnswer);
        }
    }

    private RequestConfig limits(PendingRequest exchange) {
        return RequestConfig.custom()
                .setConnectionRequestTimeout(leaseMillis)
                .setConnectTimeout(Math.min(connectMillis, exchange.socketTimeoutMillis()))
                .setSocketTimeout(exchange.socketTimeoutMillis())
                .setNormalizeUri(false)
                .build();
    }

    private static boolean filtered(HttpResponse response) {
        Header header = response.getFirstHeader(FILTERED);
        return header != null && "true".equalsIgnoreCase(header.getValue());
    }

    private byte[] read(@Nullable HttpEntity entity) throws IOException {
        if (entity == null) {
            return new byte[0];
        }
        requireBounded(entity);
        try (InputStream content = entity.getContent()) {
            byte[] body = content.readNBytes(maxAnswer + 1);
            if (body.length > maxAnswer) {
                throw new AnswerTooLargeException(maxAnswer);
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
                        connections.requestConnection(route, null).get(leaseMillis, TimeUnit.MILLISECONDS);
                open.add(next);
                if (!next.isOpen()) {
                    HttpContext context = HttpClientContext.create();
                    connections.connect(next, route, connectMillis, context);
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

    @Override
    public void close() throws IOException {
        client.close();
    }

    @Override
    @Deprecated
    public org.apache.http.params.HttpParams getParams() {
        return client.getParams();
    }

    @Override
    @Deprecated
    public org.apache.http.conn.ClientConnectionManager getConnectionManager() {
        return client.getConnectionManager();
    }

    /**
     * Records that a request is about to be sent; before that, nothing of it can have reached
     * Consul. Also records when the agent closes a new connection at once, which is how Consul
     * before 1.9 refuses connections.
     */
    private static final class Executor extends HttpRequestExecutor {
        @Override
        public HttpResponse execute(HttpRequest request, HttpClientConnection connection, HttpContext context)
                throws IOException, HttpException {
            boolean fresh = connection.getMetrics().getRequestCount() == 0;
            try {
                return super.execute(request, connection, context);
            } catch (NoHttpResponseException | SocketException e) {
                if (fresh) {
                    PendingRequest.CURRENT.get().refused();
                }
                throw e;
            }
        }

        @Override
        protected @Nullable HttpResponse doSendRequest(
                HttpRequest request, HttpClientConnection connection, HttpContext context)
                throws IOException, HttpException {
            PendingRequest.CURRENT.get().sending();
            return super.doSendRequest(request, connection, context);
        }
    }

    /** An answer was larger than this client accepts. */
    static final class AnswerTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        AnswerTooLargeException(int limit) {
            super("the answer has more than " + limit + " bytes");
        }
    }
}
