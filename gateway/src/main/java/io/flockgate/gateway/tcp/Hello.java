package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.storage.Grant;
import io.flockgate.storage.LockStorage;
import io.flockgate.text.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@code hello} frames (line protocol, "Extensions"), and registers the connections
 * whose clients want to be notified of lost grants. For the connections of one event loop, and
 * confined to it.
 */
final class Hello {
    private static final Logger LOG = LoggerFactory.getLogger(Hello.class);
    private static final byte[] REASONS = "reasons".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DETACHED = "detached".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] LOSSES = "losses=".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HTTP = "http".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] INCARNATION = "incarnation".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ALIVE = "alive=".getBytes(StandardCharsets.US_ASCII);

    /** Maximum number of seconds between two signs of life, below the idle limits in common use. */
    private static final int MAX_ALIVE_SECONDS = 60;

    private final EventLoop loop;
    private final LockStorage storage;
    private final IntSupplier httpPort;
    private final boolean tls;
    private final LossNotifier notifier;
    private final Fields fields = new Fields();

    /** A connection whose client may introduce itself. */
    interface Introduced {
        /** Notifies the client of a lost grant. */
        void lost(Grant grant);

        /** Runs the action when the connection ends. */
        void whenItEnds(Runnable action);

        /** Writes a sign of life whenever a request has waited for this long. */
        void signLife(int seconds);
    }

    /**
     * @param httpPort returns the port of the HTTP server; 0 without one
     * @param tls whether that server requires TLS
     */
    Hello(EventLoop loop, LockStorage storage, IntSupplier httpPort, boolean tls, LossNotifier notifier) {
        this.loop = loop;
        this.storage = storage;
        this.httpPort = httpPort;
        this.tls = tls;
        this.notifier = notifier;
    }

    /** Carries out the {@code hello} in a frame and adds its reply. */
    ReplyWord carryOut(Introduced connection, LockSession session, LineDecoder frame, ReplyBuffer replies) {
        ClientInfo client = introduce(session, frame);
        if (client == null) {
            return replies.add(ReplyWord.ERROR);
        }
        String recipient = session.client().lossRecipient();
        if (recipient != null) {
            Consumer<Grant> listener = grant -> loop.post(() -> connection.lost(grant));
            notifier.join(recipient, listener);
            connection.whenItEnds(() -> notifier.leave(recipient, listener));
            notifier.watch(session);
        }
        int aliveSeconds = aliveSeconds(frame);
        if (aliveSeconds > 0) {
            connection.signLife(aliveSeconds);
        }
        return replies.accepted(client, valuedOptions(frame, aliveSeconds));
    }

    /** The accepted options that carry a value, each preceded by a space. */
    private byte[] valuedOptions(LineDecoder frame, int aliveSeconds) {
        int port = hasOption(frame, HTTP) ? httpPort.getAsInt() : 0;
        String http = port == 0 ? "" : (tls ? " https=" : " http=") + port;
        String incarnation = hasOption(frame, INCARNATION)
                ? storage.incarnation().map(id -> " incarnation=" + id).orElse("")
                : "";
        String alive = aliveSeconds > 0 ? " alive=" + aliveSeconds : "";
        return (http + incarnation + alive).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Passes what a frame says about its client to the session. Returns what was accepted; null if
     * the name is invalid, or if the frame comes too late.
     */
    private @Nullable ClientInfo introduce(LockSession session, LineDecoder frame) {
        String name = Utf8.decode(Arrays.copyOfRange(frame.bytes(), frame.from(1), frame.to(1)));
        if (name == null || !ClientInfo.isName(name)) {
            return null;
        }
        ClientInfo client = new ClientInfo(
                name,
                hasOption(frame, DETACHED),
                hasOption(frame, REASONS),
                value(frame, LOSSES, ClientInfo.MAX_LOSSES_LENGTH));
        if (!session.introduce(client)) {
            return null;
        }
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("name", name)
                .addKeyValue("detached", client.detached())
                .log("client introduced");
        return client;
    }

    /**
     * The seconds after which the client requests a sign of life while it waits; 0 if it requests
     * none.
     */
    private int aliveSeconds(LineDecoder frame) {
        String value = value(frame, ALIVE, 2);
        int seconds = value != null && value.matches("[1-9][0-9]?") ? Integer.parseInt(value) : 0;
        return seconds <= MAX_ALIVE_SECONDS ? seconds : 0;
    }

    /** The value of an option that ends in an equals sign; null without one of a valid length. */
    private @Nullable String value(LineDecoder frame, byte[] option, int maxLength) {
        fields.split(frame.bytes(), frame.from(2), frame.to(2));
        for (int i = 0; i < fields.count(); i++) {
            int from = fields.from(i) + option.length;
            boolean named = fields.to(i) > from
                    && fields.to(i) - from <= maxLength
                    && Arrays.equals(frame.bytes(), fields.from(i), from, option, 0, option.length);
            if (named) {
                return new String(frame.bytes(), from, fields.to(i) - from, StandardCharsets.ISO_8859_1);
            }
        }
        return null;
    }

    /** Whether the frame has this option. Unknown options are ignored. */
    private boolean hasOption(LineDecoder frame, byte[] option) {
        fields.split(frame.bytes(), frame.from(2), frame.to(2));
        for (int i = 0; i < fields.count(); i++) {
            if (Arrays.equals(frame.bytes(), fields.from(i), fields.to(i), option, 0, option.length)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Notifies clients of their lost grants, over every open connection of the same client (line
     * protocol, "losses"), because a client may close the connection on which it received a grant.
     * Thread safe.
     */
    static final class LossNotifier {
        /**
         * Maximum number of connections that one loss is reported on. Otherwise many connections
         * with one id would multiply each loss.
         */
        static final int MAX_CONNECTIONS = 16;

        private final Map<String, Set<Consumer<Grant>>> listeners = new ConcurrentHashMap<>();

        /**
         * @param listener called on any thread
         */
        void join(String client, Consumer<Grant> listener) {
            listeners.compute(client, (same, known) -> {
                Set<Consumer<Grant>> all = known == null ? ConcurrentHashMap.newKeySet() : known;
                all.add(listener);
                return all;
            });
        }

        void leave(String client, Consumer<Grant> listener) {
            listeners.computeIfPresent(client, (same, known) -> {
                known.remove(listener);
                return known.isEmpty() ? null : known;
            });
        }

        /** Watches a session, to notify its client of lost grants if the client wants that. */
        void watch(LockSession session) {
            String client = session.client().lossRecipient();
            if (client != null) {
                session.whenGrantLost(grant -> lost(client, grant));
            }
        }

        /** Notifies a client of a lost grant. */
        void lost(String client, Grant grant) {
            listeners.getOrDefault(client, Set.of()).stream()
                    .limit(MAX_CONNECTIONS)
                    .forEach(listener -> listener.accept(grant));
        }
    }
}
