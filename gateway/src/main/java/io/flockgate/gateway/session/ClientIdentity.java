package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.session.ClientInfo.ClientName;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.LockStorage.Survival;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The identity of one session's client: its address, the name of its token, and what it has said
 * about itself. Changes on the session's event loop only.
 */
final class ClientIdentity {
    private final Peer peer;
    private final boolean autoRelease;
    private ClientInfo info = ClientInfo.NONE;
    private String principal = "";
    private boolean introduced;
    private boolean claimed;

    /** The SHA-256 of the id of an HTTP session; empty for others. */
    private String sessionHash = "";

    /**
     * Created for the first claim, and unchanged after that, even if the client's token gets
     * another name.
     */
    private byte @Nullable [] memo;

    private @Nullable ClientDescription description;

    /**
     * @param autoRelease whether the end of a connection releases its grants
     */
    ClientIdentity(Peer peer, boolean autoRelease) {
        this.peer = peer;
        this.autoRelease = autoRelease;
    }

    ClientInfo info() {
        return info;
    }

    String principal() {
        return principal;
    }

    void setPrincipal(String name) {
        principal = name;
    }

    boolean isIntroduced() {
        return introduced;
    }

    /** The client as caps count it. */
    String countedAs() {
        return Gate.peer(principal, group());
    }

    /** The group of addresses under which caps count the client if it has no token of its own. */
    String group() {
        return peer.group();
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
        return true;
    }

    /** See {@link LockSession#keepAs}. */
    void keepAs(String hash) {
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
        principal = known.principal();
        memo = written;
    }

    /** Whether the client's grants outlive its connection. */
    boolean isUnbound() {
        return info.detached() || peer.via() == Via.SESSION || !autoRelease;
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
            memo = new ClientMemo(sessionHash, peer, info, principal).encode();
        }
        return memo;
    }

    /**
     * Returns the same object while nothing has changed, because each event uses it. On any thread.
     */
    ClientDescription description() {
        ClientName given = info.name();
        String name = given == null ? null : given.text();
        String token = principal.isEmpty() ? null : principal;
        ClientDescription known = description;
        if (known == null || !Objects.equals(known.name(), name) || !Objects.equals(known.tokenName(), token)) {
            known = new ClientDescription(peer.via(), name, peer.address(), token);
            description = known;
        }
        return known;
    }
}
