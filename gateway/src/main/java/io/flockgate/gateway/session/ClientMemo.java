package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.storage.ClientDescription;
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
 * @param description the client as operators see it, with the name of its token
 */
public record ClientMemo(String sessionHash, ClientDescription description, ClientInfo client) {
    private static final int VERSION = 1;

    /** The client as caps count it. */
    public String countedAs() {
        return ClientIdentity.countedAs(description);
    }

    byte[] encode() {
        String token = description.tokenName();
        return new JsonObject()
                .put("v", VERSION)
                .put("session", sessionHash)
                .put("via", description.via().name())
                .put("peer", description.address())
                .put("name", client.name())
                .put("detached", client.detached())
                .put("reasons", client.reasons())
                .put("losses", client.losses())
                .put("token", token == null ? "" : token)
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
        String token = json.getString("token");
        return new ClientMemo(
                Objects.requireNonNull(json.getString("session")),
                new ClientDescription(
                        Via.valueOf(json.getString("via")),
                        name,
                        json.getString("peer"),
                        token.isEmpty() ? null : token),
                new ClientInfo(
                        name, json.getBoolean("detached"), json.getBoolean("reasons"), json.getString("losses")));
    }
}
