package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.LockStorage.Survival;
import io.flockgate.text.Quoting;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one session's client: its address, the name of its token, and what it has said
 * about itself. Changes on the session's event loop only.
 *
 * <p>The identity of a client whose grants outlive the process is also its memo for the next one:
 * JSON of version 1. A new version may only add fields.
 */
public final class ClientIdentity {
    private static final int MEMO_VERSION = 1;

    private final boolean autoRelease;
    private ClientDescription description;

    /** Null until the client has introduced itself. */
    private @Nullable ClientInfo info;

    private boolean claimed;
    private String sessionHash = "";

    /**
     * Created for the first claim, and unchanged after that, even if the client's token gets
     * another name.
     */
    private byte @Nullable [] memo;

    /**
     * The information that a client gives about itself before its first claim.
     *
     * @param name the name for operators: 1 to {@value #MAX_NAME_BYTES} bytes of printable UTF-8
     *     without white space. It proves nothing, and several clients may have the same. Null for a
     *     client without a name
     * @param detached whether grants outlive the client's session
     * @param reasons whether answers must distinguish a grant that is not held from a failure
     * @param losses the id under which all connections and sessions of the client are notified of
     *     its lost grants; null for a client that does not want that
     */
    public record ClientInfo(
            @Nullable String name,
            boolean detached,
            boolean reasons,
            @Nullable String losses) {
        public static final int MAX_NAME_BYTES = ClientDescription.MAX_NAME_BYTES;

        /** The maximum length of {@code losses}. */
        public static final int MAX_LOSSES_LENGTH = 64;

        /** A client that has said nothing. */
        public static final ClientInfo NONE = new ClientInfo(null, false, false, null);

        public ClientInfo {
            if (name != null && !isName(name)) {
                throw new IllegalArgumentException("not the name of a client");
            }
        }

        /** Whether a client may have this name. */
        public static boolean isName(String text) {
            return !text.isEmpty()
                    && text.length() <= MAX_NAME_BYTES
                    && text.codePoints().allMatch(c -> c != ' ' && Quoting.isPrintable(c))
                    && text.getBytes(UTF_8).length <= MAX_NAME_BYTES;
        }
    }

    /**
     * @param peer the other end of the session, whose name and token are not known yet
     * @param autoRelease whether the end of a connection releases its grants
     */
    ClientIdentity(ClientDescription peer, boolean autoRelease) {
        this.description = peer;
        this.autoRelease = autoRelease;
    }

    /**
     * A client of the previous process. If no gateway of this version can have written its memo, it
     * is unknown, and its grants last until their leases end.
     *
     * @param memo as the storage kept it
     */
    static ClientIdentity restored(byte[] memo, boolean autoRelease) {
        ClientIdentity client = new ClientIdentity(ClientDescription.UNKNOWN, autoRelease);
        client.info = ClientInfo.NONE;
        client.memo = memo;
        try {
            JsonObject json = new JsonObject(new String(memo, UTF_8));
            if (Objects.equals(json.getInteger("v"), MEMO_VERSION)) {
                client.read(json);
            }
        } catch (DecodeException | ClassCastException | NullPointerException | IllegalArgumentException e) {
            // It stays unknown.
        }
        return client;
    }

    /** Changes nothing if a field is missing or wrong. */
    private void read(JsonObject json) {
        String name = json.getString("name");
        String token = json.getString("token");
        String session = Objects.requireNonNull(json.getString("session"));
        ClientDescription described = new ClientDescription(
                Via.valueOf(json.getString("via")), name, json.getString("peer"), token.isEmpty() ? null : token);
        info = new ClientInfo(name, json.getBoolean("detached"), json.getBoolean("reasons"), json.getString("losses"));
        description = described;
        sessionHash = session;
    }

    /** What the client has said about itself. */
    public ClientInfo info() {
        return info == null ? ClientInfo.NONE : info;
    }

    /** The name of the client's token; empty where no token is configured. */
    public String principal() {
        String token = description.tokenName();
        return token == null ? "" : token;
    }

    /** Sets the name of the client's token, which may change when the tokens do. */
    public void setPrincipal(String token) {
        describe(description.name(), token.isEmpty() ? null : token);
    }

    private void describe(@Nullable String name, @Nullable String token) {
        description = new ClientDescription(description.via(), name, description.address(), token);
    }

    boolean isIntroduced() {
        return info != null;
    }

    /** The client as caps count it: its token, or else its address group. */
    public String countedAs() {
        return Gate.peer(principal(), group());
    }

    /** The group of addresses under which caps count the client if it has no token of its own. */
    String group() {
        return AddressGroup.ofPeer(description.address());
    }

    /**
     * The client that is notified of its lost grants, with all its connections and sessions; null
     * if it does not want to be notified. Clients of different tokens are different even if they
     * have chosen the same id, because otherwise one token could take the notices of another.
     */
    public @Nullable String lossRecipient() {
        return info().losses() == null ? null : principal() + " " + info().losses();
    }

    /** Notes that the client has sent its first claim. From now on it cannot introduce itself. */
    void hasClaimed() {
        claimed = true;
    }

    /** Returns false if the introduction comes too late; then nothing changes. */
    boolean introduce(ClientInfo given) {
        if (info != null || claimed) {
            return false;
        }
        info = given;
        describe(given.name(), description.tokenName());
        return true;
    }

    /**
     * Names the HTTP session, which continues to own the grants in the next process. To be called
     * before the first claim.
     *
     * @param hash the SHA-256 of the session's id
     */
    public void keepAs(String hash) {
        sessionHash = hash;
    }

    /** The SHA-256 of the id of an HTTP session; empty for others. */
    public String sessionHash() {
        return sessionHash;
    }

    /** Whether the client's grants outlive its connection. */
    boolean isUnbound() {
        return info().detached() || description.via() == Via.SESSION || !autoRelease;
    }

    /** Whether the client's grants outlive a process whose storage keeps this much. */
    boolean outlives(Survival survival) {
        return switch (survival) {
            case NONE -> false;
            case DETACHED -> info().detached();
            case KEPT -> isUnbound();
        };
    }

    /** The memo for the next process; null if no grant outlives the connection. */
    byte @Nullable [] memo() {
        if (memo == null && isUnbound()) {
            memo = new JsonObject()
                    .put("v", MEMO_VERSION)
                    .put("session", sessionHash)
                    .put("via", description.via().name())
                    .put("peer", description.address())
                    .put("name", info().name())
                    .put("detached", info().detached())
                    .put("reasons", info().reasons())
                    .put("losses", info().losses())
                    .put("token", principal())
                    .encode()
                    .getBytes(UTF_8);
        }
        return memo;
    }

    /** The client as operators see it. On any thread. */
    ClientDescription description() {
        return description;
    }
}
