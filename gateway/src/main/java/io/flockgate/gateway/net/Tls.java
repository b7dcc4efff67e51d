package io.flockgate.gateway.net;

import io.flockgate.file.PemFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.gateway.config.TlsConfig;
import io.flockgate.gateway.config.TlsConfig.ClientCa;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.gateway.log.RateLimitedLog;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's side of TLS, 1.2 and 1.3, for one port. Certificate, key, and the authorities of
 * clients are read and checked at the start, not at the first handshake, and again when they
 * change. Vert.x's own TLS is not used, because it bounds neither the handshakes nor their
 * computations. Thread safe.
 */
public final class Tls {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);
    private static final List<String> KEY_TYPES = List.of("RSA", "EC");
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final long MAX_HANDSHAKES = 2_048;

    /**
     * Kept for clients without tickets. A session keeps the server name that its client has sent,
     * of up to 30 KB.
     */
    private static final long MAX_SESSIONS = 1_000;

    /** The heap that a handshake takes at most, measured: docs/design/limits.md. */
    private static final long ENGINE_BYTES = 100_000;

    private static final byte[] SAMPLE = {1, 2, 3};

    /** Of both ports. Half of the processors stay with the event loops. */
    private static final HandshakeTasks COMPUTING =
            computing(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    private final TlsConfig config;
    private final Vertx vertx;
    private final long timeoutNanos;
    private final ConnectionCounter handshakes;
    private final RateLimitedLog tooMany;
    private final ReloadedFiles<SslContext> context;

    private Tls(TlsConfig config, Duration handshakeTimeout, Vertx vertx) throws IOException {
        this.config = config;
        this.vertx = vertx;
        this.timeoutNanos = Times.nanos(handshakeTimeout);
        this.handshakes = handshakes(Runtime.getRuntime().maxMemory());
        this.tooMany = new RateLimitedLog(
                LOG,
                "too many TLS handshakes, closing connections",
                System::nanoTime,
                (millis, task) -> vertx.setTimer(millis, ignored -> task.run()));
        this.context = ReloadedFiles.read(files(config), this::read, new Reloading(config), System.nanoTime());
    }

    private static HandshakeTasks computing(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-tls").factory());
        pool.allowCoreThreadTimeOut(true);
        return new HandshakeTasks(pool, threads);
    }

    /**
     * Reads the files, which blocks. A fault in them is an {@link IOException} that names the flag
     * and the file.
     */
    public static Tls load(TlsConfig config, Duration handshakeTimeout, Vertx vertx) throws IOException {
        Tls tls = new Tls(config, handshakeTimeout, vertx);
        FileChecks.start(vertx, tls.context::check);
        return tls;
    }

    /**
     * The engines of both ports take an eighth of the heap at most. An address group gets three
     * quarters of that.
     */
    private static ConnectionCounter handshakes(long heapBytes) {
        long max = Math.clamp(heapBytes / (16 * ENGINE_BYTES), 64, MAX_HANDSHAKES);
        return new ConnectionCounter(max, max * 3 / 4);
    }

    private SslContext read() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forServer(keys(config, vertx))
                .sslProvider(SslProvider.JDK)
                .protocols(PROTOCOLS)
                .sessionCacheSize(MAX_SESSIONS)
                .ciphers(ciphers(), SupportedCipherSuiteFilter.INSTANCE);
        ClientCa clients = config.clients().orElse(null);
        return clients == null
                ? builder.build()
                : builder.trustManager(authorities(clients.file()))
                        .clientAuth(clients.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL)
                        .build();
    }

    private static List<Path> files(TlsConfig config) {
        return Stream.concat(
                        Stream.of(config.certificate(), config.key()), config.clients().map(ClientCa::file).stream())
                .toList();
    }

    /** The log of certificates that have been read again, for handshakes from then on. */
    private record Reloading(TlsConfig config) implements ReloadedFiles.Observer<SslContext> {
        @Override
        public void reloaded(SslContext context) {
            LOG.atInfo()
                    .addKeyValue("cert", config.certificate())
                    .addKeyValue("key", config.key())
                    .log("TLS certificate read again");
        }

        @Override
        public void unusable(Exception failure) {
            LOG.atError()
                    .addKeyValue("err", Reason.of(failure))
                    .log("TLS certificate cannot be used; its last version stays in use");
        }
    }

    /** The JDK's, without CBC: its suites of TLS 1.2 authenticate before they encrypt. */
    private static List<String> ciphers() throws IOException {
        try {
            return Arrays.stream(
                            SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites())
                    .filter(suite -> !suite.contains("_CBC_"))
                    .toList();
        } catch (NoSuchAlgorithmException e) {
            throw new IOException(e);
        }
    }

    private static PemKeyCertOptions pem(TlsConfig config) {
        return new PemKeyCertOptions()
                .setCertPath(config.certificate().toString())
                .setKeyPath(config.key().toString());
    }

    private static KeyManagerFactory keys(TlsConfig config, Vertx vertx) throws IOException {
        String certificate = readable("--tls-cert", config.certificate());
        String key = readable("--tls-key", config.key());
        try {
            KeyManagerFactory keys = pem(config).getKeyManagerFactory(vertx);
            if (!fit(keys)) {
                throw new FileException("--tls-key: " + key + " is not the key of --tls-cert " + certificate, null);
            }
            return keys;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // all that Vert.x promises
            throw new FileException(
                    "--tls-cert " + certificate + " and --tls-key " + key + " cannot be used: " + Reason.of(e), e);
        }
    }

    /** The certificates that sign those of clients: at least one. */
    private static List<X509Certificate> authorities(Path file) throws IOException {
        try {
            return PemFiles.authorities(file);
        } catch (IOException e) {
            throw unusable("--tls-client-ca", file, e);
        }
    }

    private static String readable(String flag, Path file) throws IOException {
        try {
            byte[] unused = PemFiles.read(file);
            return file.toString();
        } catch (IOException e) {
            throw unusable(flag, file, e);
        }
    }

    private static FileException unusable(String flag, Path file, IOException e) {
        return new FileException(flag + ": cannot read " + Quoting.quoted(file.toString()) + ": " + Reason.of(e), e);
    }

    /** A certificate or key that cannot be used. The message names the flag. */
    public static final class FileException extends IOException {
        private static final long serialVersionUID = 1L;

        FileException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Whether a handshake failed because the client does not speak TLS. The failure itself shows
     * what the client sent.
     */
    public static boolean isPlainClient(Throwable failure) {
        return failure instanceof NotSslRecordException || failure.getCause() instanceof NotSslRecordException;
    }

    /** Whether the certificate verifies a signature of the key. */
    private static boolean fit(KeyManagerFactory factory) throws GeneralSecurityException {
        for (KeyManager manager : factory.getKeyManagers()) {
            if (manager instanceof X509KeyManager keys) {
                for (String type : KEY_TYPES) {
                    String[] aliases = keys.getServerAliases(type, null);
                    if (aliases != null) {
                        X509Certificate leaf = keys.getCertificateChain(aliases[0])[0];
                        return fit(keys.getPrivateKey(aliases[0]), leaf.getPublicKey());
                    }
                }
            }
        }
        return false;
    }

    private static boolean fit(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
            return false;
        }
        Signature signature =
                Signature.getInstance(key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
        signature.initSign(key);
        signature.update(SAMPLE);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(SAMPLE);
        return signature.verify(signed);
    }

    /**
     * Puts TLS in front of a connection that has just been accepted, on its event loop. The future
     * completes there when the handshake is over, with the name in the client's certificate, which
     * is empty without one. The connection of one that fails or takes too long is closed.
     *
     * @param address the peer's, whose group takes its turn among others
     */
    Future<String> handshake(NetSocket socket, String address) {
        return handshake(Channels.of(socket), address);
    }

    /** The same for a connection of the HTTP port. */
    public Future<String> handshake(HttpConnection connection, String address) {
        return handshake(Channels.of(connection), address);
    }

    private Future<String> handshake(Channel channel, String address) {
        Promise<String> done = Promise.promise();
        var unused = TlsHandshake.begin(
                        new Slot(address), channel, COMPUTING.lane(AddressGroup.of(address)), timeoutNanos)
                .addListener(ended -> {
                    if (ended.isSuccess()) {
                        done.complete(
                                config.clients().isEmpty() ? "" : CertificateName.of(TlsHandshake.session(channel)));
                    } else {
                        done.fail(ended.cause());
                    }
                });
        return done.future();
    }

    /** The place of a connection among the handshakes of this port. */
    private final class Slot implements TlsHandshake.Admission {
        private final String address;

        private Slot(String address) {
            this.address = address;
        }

        @Override
        public @Nullable SslContext enter() {
            if (handshakes.enter(address) == Entry.ADMITTED) {
                return context.value();
            }
            tooMany.warn(line -> line.addKeyValue("address", AddressGroup.of(address)));
            return null;
        }

        @Override
        public void leave() {
            handshakes.leave(address);
        }
    }
}
