package io.flockgate.storage.consul.api;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.apache.http.Header;
import org.apache.http.HttpClientConnection;
import org.apache.http.HttpEntity;
import org.apache.http.HttpException;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpRequestBase;
import org.apache.http.config.MessageConstraints;
import org.apache.http.config.Registry;
import org.apache.http.config.SocketConfig;
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
 * An HTTP client with a pool of its own. It never repeats a request, sends it elsewhere or fills the heap: it has no retries,
 * redirects, proxies, cookies or compression, and a limit on the size of an answer. It sends only the {@link PendingRequest} of
 * its thread.
 */
final class BoundedHttpClient extends CloseableHttpClient {
    private static final String TOKEN = "X-Consul-Token";
    private static final String FILTERED = "X-Consul-Results-Filtered-By-ACLs";
    private static final int BUFFER = 8 * 1024;
    private static final MessageConstraints HEAD = MessageConstraints.custom()
            .setMaxLineLength(16 * 1024)
            .setMaxHeaderCount(100)
            .build();
    /** The maximum life of a connection. A new connection resolves names and reads certificates again. */
    private static final int CONNECTION_LIFE_MINUTES = 5;
    /** The idle time after which a connection is checked before use, because a stopped agent has closed it. */
    private static final int VALIDATE_AFTER_MILLIS = 500;

    private final CloseableHttpClient client;
    private final int connectMillis;
    private final int leaseMillis;
    private final int maxAnswer;

    /** @param maxAnswer bytes of a body */
    BoundedHttpClient(
            Registry<ConnectionSocketFactory> sockets, int pool, int connectMillis, int leaseMillis, int maxAnswer) {
        this.connectMillis = connectMillis;
        this.leaseMillis = leaseMillis;
        this.maxAnswer = maxAnswer;
        this.client = HttpClientBuilder.create()
                .setConnectionManager(connections(sockets, pool, connectMillis))
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
            Registry<ConnectionSocketFactory> sockets, int pool, int handshakeMillis) {
        // The default connections log heads, and with them the token, at debug level.
        var connections = new PoolingHttpClientConnectionManager(
                sockets,
                (route, config) -> new DefaultManagedHttpClientConnection(
                        "consul", BUFFER, BUFFER, null, null, HEAD, null, null, null, null),
                null,
                null,
                CONNECTION_LIFE_MINUTES,
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
        // Added after Ecwid's client has logged the request, so that the log does not contain the token.
        base.removeHeaders(TOKEN);
        String token = exchange.token();
        if (token != null) {
            base.addHeader(TOKEN, token);
        }
        exchange.begin(base);
        CloseableHttpResponse response = client.execute(target, base, context);
        try {
            exchange.answered(read(response), filtered(response));
        } catch (IOException | RuntimeException e) {
            response.close();
            throw e;
        }
        // Ecwid's client would copy the body into a string, through a buffer twice as large.
        response.setEntity(new ByteArrayEntity(new byte[0]));
        return response;
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

    private byte[] read(HttpResponse response) throws IOException {
        HttpEntity entity = response.getEntity();
        if (entity == null) {
            return new byte[0];
        }
        long announced = entity.getContentLength();
        if (announced > maxAnswer) {
            throw new AnswerTooLargeException(maxAnswer);
        }
        try (InputStream content = entity.getContent()) {
            byte[] body = content.readNBytes(maxAnswer + 1);
            if (body.length > maxAnswer) {
                throw new AnswerTooLargeException(maxAnswer);
            }
            return body;
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

    /** Records that a request is about to be sent. Before that nothing of it can have reached Consul. */
    private static final class Executor extends HttpRequestExecutor {
        @Override
        protected @Nullable HttpResponse doSendRequest(
                HttpRequest request, HttpClientConnection connection, HttpContext context)
                throws IOException, HttpException {
            PendingRequest.CURRENT.get().sending();
            return super.doSendRequest(request, connection, context);
        }
    }

    /** An answer was larger than this client takes. */
    static final class AnswerTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        AnswerTooLargeException(int limit) {
            super("the answer has more than " + limit + " bytes");
        }
    }
}
