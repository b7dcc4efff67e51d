package io.flockgate.gateway.net;

import io.flockgate.file.EndingFiles;
import io.flockgate.gateway.config.TlsConfig;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of TLS, 1.2 and 1.3. Certificate and key are read, and checked against each other, when it is made, not
 * at the first handshake. Vert.x's own upgrade of a socket is not used: it fails on every event loop but the first. Thread safe.
 */
public final class Tls {
    private static final List<String> KEY_TYPES = List.of("RSA", "EC");
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    private static final byte[] SAMPLE = {1, 2, 3};

    /**
     * Computes the signatures of handshakes, a few milliseconds each. A thousand handshakes at once would hold up an event loop for
     * seconds.
     */
    private static final Executor COMPUTING =
            computing(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    private final SslContext context;
    private final long timeoutNanos;

    private Tls(SslContext context, Duration handshakeTimeout) {
        this.context = context;
        this.timeoutNanos = Times.nanos(handshakeTimeout);
    }

    private static Executor computing(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-tls").factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Reads the files, which blocks. A fault in them is an {@link IOException} that names the flag and the file. */
    static Tls load(TlsConfig config, Duration handshakeTimeout, Vertx vertx) throws IOException {
        KeyManagerFactory keys = keys(config, vertx);
        return new Tls(
                SslContextBuilder.forServer(keys)
                        .sslProvider(SslProvider.JDK)
                        .protocols(PROTOCOLS)
                        .build(),
                handshakeTimeout);
    }

    /** The options of a Vert.x server that does TLS itself, without HTTP/2. Reads the files as {@link #load} does. */
    public static ServerSSLOptions options(TlsConfig config, Duration handshakeTimeout, Vertx vertx)
            throws IOException {
        KeyManagerFactory unused = keys(config, vertx);
        ServerSSLOptions options = new ServerSSLOptions();
        options.setKeyCertOptions(files(config))
                .setEnabledSecureTransportProtocols(Set.of(PROTOCOLS))
                .setUseAlpn(false)
                .setSslHandshakeTimeout(Times.nanos(handshakeTimeout))
                .setSslHandshakeTimeoutUnit(TimeUnit.NANOSECONDS);
        return options;
    }

    private static PemKeyCertOptions files(TlsConfig config) {
        return new PemKeyCertOptions()
                .setCertPath(config.certificate().toString())
                .setKeyPath(config.key().toString());
    }

    private static KeyManagerFactory keys(TlsConfig config, Vertx vertx) throws IOException {
        String certificate = readable("--tls-cert", config.certificate());
        String key = readable("--tls-key", config.key());
        try {
            KeyManagerFactory keys = files(config).getKeyManagerFactory(vertx);
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

    private static String readable(String flag, Path file) throws IOException {
        try {
            EndingFiles.requireRegular(file);
            byte[] unused = EndingFiles.read(file, 1);
            return file.toString();
        } catch (IOException e) {
            throw new FileException(flag + ": cannot read " + Quoting.quoted(file.toString()) + ": " + Reason.of(e), e);
        }
    }

    /** A certificate or key that cannot be used. The message names the flag. */
    public static final class FileException extends IOException {
        private static final long serialVersionUID = 1L;

        FileException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Whether a handshake failed because the client does not speak TLS. The failure itself shows what the client sent. */
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
     * Puts TLS in front of a socket that has just been accepted, on its event loop. The future completes there when the
     * handshake is over; if the handshake fails, also by its timeout, Netty closes the connection.
     */
    Future<Void> handshake(NetSocket socket) {
        Channel channel = Channels.of(socket);
        SslHandler handler = context.newHandler(channel.alloc(), COMPUTING);
        handler.setHandshakeTimeout(timeoutNanos, TimeUnit.NANOSECONDS);
        Promise<Void> done = Promise.promise();
        handler.handshakeFuture().addListener(ended -> {
            if (ended.isSuccess()) {
                done.complete();
            } else {
                done.fail(ended.cause());
            }
        });
        channel.pipeline().addFirst("ssl", handler).addAfter("ssl", "tls-end", new CloseNotifyHandler());
        return done.future();
    }

    /** The peer has ended its side of TLS: it sends nothing more, as if it had ended its side of the connection. */
    private static final class CloseNotifyHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (!(event instanceof SslCloseCompletionEvent end && end.isSuccess())) {
                context.fireUserEventTriggered(event);
            } else if (Boolean.TRUE.equals(context.channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))) {
                context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                ChannelFuture unused = context.close();
            }
        }
    }
}
