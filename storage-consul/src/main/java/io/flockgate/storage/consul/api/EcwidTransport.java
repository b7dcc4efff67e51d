package io.flockgate.storage.consul.api;

import com.ecwid.consul.transport.TransportException;
import com.ecwid.consul.v1.ConsulRawClient;
import com.ecwid.consul.v1.OperationException;
import io.flockgate.file.PemFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulOptions.TlsFiles;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.text.Reason;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.apache.http.HttpHost;
import org.apache.http.NoHttpResponseException;
import org.apache.http.config.Lookup;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls of Ecwid's client on one Consul agent, and classifies their failures.
 *
 * <p>There are three pools of connections, so that commands, watches and renewals never wait for
 * each other. The connections of the renewals are opened first and kept, because an agent accepts a
 * limited number. An interrupt aborts a call at once if it runs on a virtual thread.
 */
final class EcwidTransport implements AutoCloseable {
    /**
     * The connections for commands. With the watches of 32 keys, of all keys and of the gateways, a
     * gateway has 62 in total, so three gateways fit into an agent's 200.
     */
    static final int COMMANDS = 24;

    /** The connections for renewals that are kept open. */
    private static final int RENEWALS = 4;

    /** The connections for renewals of the sessions of many slots. */
    private static final int MORE_RENEWALS = 64;

    /**
     * The maximum life of a connection. A new connection resolves names and reads certificates
     * again.
     */
    private static final int CONNECTION_LIFE_MINUTES = 5;

    /** The pause of all but renewals after Consul has refused a request because of too many. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Environment environment;
    private final Lane commands;
    private final Lane watches;
    private final Lane renewals;
    private final BoundedHttpClient.Limits limits;
    private final ConsulAddress address;
    private final AgentAddresses addresses = new AgentAddresses();
    private final TokenSource tokens;
    private volatile long pausedUntil;
    private volatile Runnable refusal = () -> {};
    private volatile boolean opened;
    private volatile boolean closed;

    /**
     * A pool of connections, and Ecwid's client over it.
     *
     * @param urgent whether its requests take precedence over all others
     */
    private record Lane(BoundedHttpClient http, ConsulRawClient consul, boolean urgent) {}

    /** A call of Ecwid's client, with the list of entries that its response contains. */
    interface Call<T extends @Nullable Object> {
        T make(ConsulRawClient consul, BoundedHttpClient.Pending pending);
    }

    /**
     * Opens no connection yet.
     *
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    EcwidTransport(Environment environment, ConsulOptions options, BoundedHttpClient.Limits limits) {
        this.environment = environment;
        this.limits = limits;
        this.address = options.address();
        this.tokens = options.token();
        this.pausedUntil = environment.now();
        Lookup<ConnectionSocketFactory> sockets = address.tls()
                ? new TlsSockets(environment, options.tls())
                : scheme -> PlainConnectionSocketFactory.getSocketFactory();
        this.commands = lane(sockets, COMMANDS, false, options);
        this.watches = lane(sockets, options.watchBudget(), false, options);
        this.renewals = lane(sockets, RENEWALS + MORE_RENEWALS, true, options);
    }

    private Lane lane(Lookup<ConnectionSocketFactory> sockets, int pool, boolean urgent, ConsulOptions options) {
        var http = new BoundedHttpClient(
                sockets, addresses, pool, urgent ? -1 : CONNECTION_LIFE_MINUTES, limits, options.scope());
        String agent = address.scheme() + "://" + address.host();
        return new Lane(http, new ConsulRawClient(http.client(), agent, address.port(), ""), urgent);
    }

    /** Sets the listener for connections that the agent refuses. */
    void onRefusal(Runnable listener) {
        refusal = listener;
    }

    /** Opens the connections of the renewals before others use up all that the agent accepts. */
    void openRenewals() {
        if (!opened) {
            opened = renewals.http().open(new HttpHost(address.host(), address.port(), address.scheme()), RENEWALS);
        }
    }

    /** Records that the token lacks a right, or that Consul does not know it. */
    void tokenRefused() {
        tokens.refused();
    }

    <T extends @Nullable Object> T command(Function<ConsulRawClient, T> call) {
        return run(commands, limits.command(), false, (consul, pending) -> call.apply(consul));
    }

    /** A read whose response is a list of entries. */
    <T> T list(Call<T> call) {
        return run(commands, limits.command(), true, call);
    }

    /**
     * A read that Consul may answer late.
     *
     * @param seconds the time for which Consul may wait
     */
    <T> T watch(long seconds, Call<T> call) {
        int timeout = Math.toIntExact(seconds * 1000 + seconds * 1000 / 16) + limits.watchExtra();
        return run(watches, timeout, true, call);
    }

    /** A write that does not wait for other requests. */
    <T extends @Nullable Object> T renewal(Function<ConsulRawClient, T> call) {
        return run(renewals, limits.renewal(), false, (consul, pending) -> call.apply(consul));
    }

    private <T extends @Nullable Object> T run(Lane lane, int timeout, boolean lists, Call<T> call) {
        var pending = new BoundedHttpClient.Pending(tokens.token(), timeout, lists);
        try {
            if (closed) {
                throw failure(new IOException("closed"), pending);
            }
            long left = pausedUntil - environment.now();
            if (left > 0 && !lane.urgent()) {
                environment.sleep(left);
            }
            return ScopedValue.where(BoundedHttpClient.Pending.CURRENT, pending)
                    .call(() -> call.make(lane.consul(), pending));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(e, pending);
        } catch (TransportException e) {
            throw unanswered(e.getCause() == null ? e : e.getCause(), pending);
        } catch (OperationException e) {
            throw refused(e.getStatusCode(), e.getStatusContent());
        } catch (ConsulException e) {
            throw e;
        } catch (RuntimeException e) {
            // Ecwid's client cannot read the answer, unless nothing was sent.
            throw pending.sent && !closed ? Failures.ofInvalidAnswer(e) : failure(e, pending);
        }
    }

    private ConsulException unanswered(Throwable cause, BoundedHttpClient.Pending pending) {
        if (cause instanceof BoundedHttpClient.FilteredException) {
            tokens.refused();
            return new ConsulException(FailureKind.DENIED, Effect.NOT_DONE, String.valueOf(cause.getMessage()), cause);
        }
        // Consul before 1.9 closes a connection of too many at once.
        boolean cut = pending.first && (cause instanceof NoHttpResponseException || cause instanceof SocketException);
        if (cause instanceof SSLException
                || (cut && !closed && !Thread.currentThread().isInterrupted())) {
            refusal.run();
        }
        if (cause instanceof SocketTimeoutException && pending.at != null && addresses.avoid(pending.at)) {
            lanes().forEach(lane -> lane.http().closeIdle());
            opened = false;
        }
        return failure(cause, pending);
    }

    /** The failure for an answer whose status is not the expected one. */
    ConsulException refused(int status, String content) {
        if (status == 429) {
            pausedUntil = environment.now() + PAUSE_NANOS;
            refusal.run();
        } else if (status == 403) {
            tokens.refused();
        }
        return Failures.ofAnswer(status, Failures.words(content));
    }

    /** The failure for a request without an answer. */
    private ConsulException failure(Throwable failure, BoundedHttpClient.Pending pending) {
        Effect effect = pending.sent ? Effect.UNKNOWN : Effect.NOT_DONE;
        if (closed) {
            return new ConsulException(FailureKind.CLOSED, effect, "the client of Consul has been closed", failure);
        }
        boolean tooLarge = failure instanceof BoundedHttpClient.AnswerTooLargeException;
        return new ConsulException(
                tooLarge ? FailureKind.INVALID : FailureKind.UNAVAILABLE,
                effect,
                (pending.sent ? "no answer from Consul at " : "Consul cannot be reached at ") + address
                        + addresses.shown(pending.at) + ": " + Reason.of(failure),
                failure);
    }

    /** Aborts all requests. Later requests fail. */
    @Override
    public void close() {
        closed = true;
        lanes().forEach(lane -> lane.http().close());
    }

    private List<Lane> lanes() {
        return List.of(commands, watches, renewals);
    }

    /**
     * Creates TLS connections with certificates from PEM files. It rereads changed files, but
     * checks for changes at most once a second. While the files are not valid, it uses their last
     * valid content. Host names are verified.
     */
    private static final class TlsSockets
            implements Lookup<ConnectionSocketFactory>, ReloadedFiles.Observer<SSLConnectionSocketFactory> {
        private static final Logger LOG = LoggerFactory.getLogger(TlsSockets.class);

        private final Environment environment;
        private final TlsFiles pem;
        private final ReloadedFiles<SSLConnectionSocketFactory> sockets;

        /**
         * @throws IllegalArgumentException when the files cannot be used
         */
        TlsSockets(Environment environment, TlsFiles pem) {
            this.environment = environment;
            this.pem = pem;
            List<Path> files = Stream.of(pem.authorities(), pem.clientCert(), pem.clientKey())
                    .flatMap(Stream::ofNullable)
                    .toList();
            try {
                this.sockets = ReloadedFiles.read(files, this::load, this, environment.now());
            } catch (IOException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
        }

        @Override
        public ConnectionSocketFactory lookup(String scheme) {
            return sockets.current(environment.now());
        }

        @Override
        public void reloaded(SSLConnectionSocketFactory made) {
            LOG.info("Consul's certificate files have been read again");
        }

        @Override
        public void unusable(Exception failure) {
            LOG.atWarn()
                    .addKeyValue("err", Reason.of(failure))
                    .log("Consul's certificate files cannot be used; their last content stays in use");
        }

        private SSLConnectionSocketFactory load() throws IOException {
            try {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keys(), authorities(), null);
                return new SSLConnectionSocketFactory(
                        context,
                        new String[] {"TLSv1.3", "TLSv1.2"},
                        null,
                        SSLConnectionSocketFactory.getDefaultHostnameVerifier());
            } catch (GeneralSecurityException e) {
                throw new IOException("TLS for Consul cannot be set up: " + e.getMessage(), e);
            }
        }

        private TrustManager @Nullable [] authorities() throws IOException {
            Path caFile = pem.authorities();
            if (caFile == null) {
                return null;
            }
            try {
                KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
                store.load(null, null);
                for (X509Certificate authority : PemFiles.authorities(caFile)) {
                    store.setCertificateEntry("ca-" + store.size(), authority);
                }
                TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                trust.init(store);
                return trust.getTrustManagers();
            } catch (IOException | GeneralSecurityException e) {
                throw unusable("CA file " + caFile, e);
            }
        }

        private KeyManager @Nullable [] keys() throws IOException {
            Path clientCert = pem.clientCert();
            Path clientKey = pem.clientKey();
            if (clientCert == null || clientKey == null) {
                return null;
            }
            try {
                // Unlike the Java runtime, this class also reads PKCS#1 and SEC1. With bytes instead of
                // paths it needs no Vertx.
                return new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(PemFiles.read(clientCert)))
                        .addKeyValue(Buffer.buffer(PemFiles.read(clientKey)))
                        .getKeyManagerFactory(null)
                        .getKeyManagers();
            } catch (Exception e) {
                throw unusable("client certificate " + clientCert + " with key " + clientKey, e);
            }
        }

        private static IOException unusable(String what, Exception e) {
            return new IOException("Consul's " + what + " cannot be used: " + Reason.of(e), e);
        }
    }
}
