package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.ClientInfo;
import io.flockgate.gateway.session.ClientName;
import io.flockgate.gateway.session.LockSession;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@code hello} frames (line protocol, "Extensions"). Reused from frame to frame; not
 * thread safe.
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

    private final Fields fields = new Fields();

    /**
     * Passes what a frame says about its client to the session.
     *
     * @param address the client's address group
     * @return what was accepted; null if the name is invalid, or if the frame comes too late
     */
    @Nullable
    ClientInfo introduce(LockSession session, LineDecoder frame, String address) {
        ClientName name = ClientName.of(Arrays.copyOfRange(frame.bytes(), frame.from(1), frame.to(1)));
        if (name == null) {
            return null;
        }
        ClientInfo client = new ClientInfo(
                name,
                hasOption(frame, DETACHED),
                hasOption(frame, REASONS),
                value(frame, LOSSES, ClientInfo.MAX_LOSSES_LENGTH));
        if (!session.introduce(client, address)) {
            return null;
        }
        LOG.atDebug()
                .addKeyValue("conn", session.id())
                .addKeyValue("name", name.text())
                .addKeyValue("detached", client.detached())
                .log("client introduced");
        return client;
    }

    /** Whether the client requests the port of the HTTP server. */
    boolean asksForHttp(LineDecoder frame) {
        return hasOption(frame, HTTP);
    }

    /** Whether the client requests the id of the storage's grants. */
    boolean asksForIncarnation(LineDecoder frame) {
        return hasOption(frame, INCARNATION);
    }

    /**
     * The seconds after which the client requests a sign of life while it waits; 0 if it requests
     * none.
     */
    int aliveSeconds(LineDecoder frame) {
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
}
