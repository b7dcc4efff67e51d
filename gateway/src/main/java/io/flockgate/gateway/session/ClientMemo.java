package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.gateway.session.ClientInfo.ClientName;
import io.flockgate.storage.ClientDescription.Via;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The information for the next process about a client whose grants outlive this one. It is encoded
 * as JSON of version 1; a new version may only add fields.
 *
 * @param sessionHash the SHA-256 of the id of an HTTP session, in hexadecimal digits; empty for a
 *     connection
 * @param principal the name of the client's token; empty where no token is configured
 */
public record ClientMemo(String sessionHash, Peer peer, ClientInfo client, String principal) {
    private static final int VERSION = 1;

    byte[] encode() {
        ClientName name = client.name();
        return new JsonObject()
                .put("v", VERSION)
                .put("session", sessionHash)
                .put("via", peer.via().name())
                .put("peer", peer.address())
                .put("name", name == null ? null : name.text())
                .put("detached", client.detached())
                .put("reasons", client.reasons())
                .put("losses", client.losses())
                .put("token", principal)
                .encode()
                .getBytes(UTF_8);
    }

    /** Reads a memo; null if no gateway of this version can have written it. */
    public static @Nullable ClientMemo decode(byte[] memo) {
        try {
            JsonObject json = new JsonObject(new String(memo, UTF_8));
            return Objects.equals(json.getInteger("v"), VERSION) ? of(json) : null;
        } catch (DecodeException | ClassCastException | NullPointerException | IllegalArgumentException e) {
            return null;
        }
    }

    private static ClientMemo of(JsonObject json) {
        String name = json.getString("name");
        return new ClientMemo(
                Objects.requireNonNull(json.getString("session")),
                new Peer(Via.valueOf(json.getString("via")), json.getString("peer")),
                new ClientInfo(
                        name == null ? null : new ClientName(name),
                        json.getBoolean("detached"),
                        json.getBoolean("reasons"),
                        json.getString("losses")),
                Objects.requireNonNull(json.getString("token")));
    }
}
