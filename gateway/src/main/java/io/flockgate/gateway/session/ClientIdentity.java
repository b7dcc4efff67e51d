package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.LockStorage.Survival;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one session's client: its address, the name of its token, and what it has said
 * about itself. Changes on the session's event loop only.
 */
public final class ClientIdentity {
    private final boolean autoRelease;
    private ClientDescription description;
    private ClientInfo info = ClientInfo.NONE;
    private boolean introduced;
    private boolean claimed;

    /** The SHA-256 of the id of an HTTP session; empty for others. */
    private String sessionHash = "";

    /**
     * Created for the first claim, and unchanged after that, even if the client's token gets
     * another name.
     */
    private byte @Nullable [] memo;

    /**
     * @param peer the other end of the session, whose name and token are not known yet
     * @param autoRelease whether the end of a connection releases its grants
     */
    ClientIdentity(ClientDescription peer, boolean autoRelease) {
        this.description = peer;
        this.autoRelease = autoRelease;
    }

    /** What the client has said about itself. */
    public ClientInfo info() {
        return info;
    }

    /** The name of the client's token; empty where no token is configured. */
    public String principal() {
        String token = description.tokenName();
        return token == null ? "" : token;
    }

    /** Sets the name of the client's token, which may change when the tokens do. */
    public void setPrincipal(String token) {
        describe(info.name(), token.isEmpty() ? null : token);
    }

    private void describe(@Nullable String name, @Nullable String token) {
        description = new ClientDescription(description.via(), name, description.address(), token);
    }

    boolean isIntroduced() {
        return introduced;
    }

    /** The client as caps count it: its token, or else its address group. */
    public String countedAs() {
        return countedAs(description);
    }

    static String countedAs(ClientDescription client) {
        String token = client.tokenName();
        return Gate.peer(token == null ? "" : token, AddressGroup.ofPeer(client.address()));
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
        return info.losses() == null ? null : principal() + " " + info.losses();
    }

    /** Notes that the client has sent its first claim. From now on it cannot introduce itself. */
    void hasClaimed() {
        claimed = true;
    }

    /** Returns false if the introduction comes too late; then nothing changes. */
    boolean introduce(ClientInfo given) {
        if (introduced || claimed) {
            return false;
        }
        introduced = true;
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

    /**
     * Takes over the identity of a client of the previous process.
     *
     * @param written the memo as the storage kept it
     */
    void restore(byte[] written, ClientMemo known) {
        introduced = true;
        claimed = true;
        info = known.client();
        description = known.description();
        memo = written;
    }

    /** Whether the client's grants outlive its connection. */
    boolean isUnbound() {
        return info.detached() || description.via() == Via.SESSION || !autoRelease;
    }

    /** Whether the client's grants outlive a process whose storage keeps this much. */
    boolean outlives(Survival survival) {
        return switch (survival) {
            case NONE -> false;
            case DETACHED -> info.detached();
            case KEPT -> isUnbound();
        };
    }

    /** The memo for the next process; null if no grant outlives the connection. */
    byte @Nullable [] memo() {
        if (memo == null && isUnbound()) {
            memo = new ClientMemo(sessionHash, description, info).encode();
        }
        return memo;
    }

    /** The client as operators see it. On any thread. */
    ClientDescription description() {
        return description;
    }
}
