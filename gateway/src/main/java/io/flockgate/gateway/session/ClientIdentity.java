package io.flockgate.gateway.session;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who the client of one session is: its address, the name of its token, and what it has said about
 * itself. Changes on the session's event loop only.
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

    private String addressGroup = "";

    /**
     * Made for the first claim. It does not change after that, though the client's token may get
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

    /** The client has sent its first claim. From now on it cannot introduce itself. */
    void hasClaimed() {
        claimed = true;
    }

    /** Returns false when the introduction comes too late; then nothing changes. */
    boolean introduce(ClientInfo given, String group) {
        if (introduced || claimed) {
            return false;
        }
        introduced = true;
        info = given;
        addressGroup = group;
        return true;
    }

    /** See {@link LockSession#keepAs}. */
    void keepAs(String hash, String group) {
        sessionHash = hash;
        addressGroup = group;
    }

    /**
     * Becomes the client of the process before.
     *
     * @param written the memo as it was kept
     */
    void restore(byte[] written, ClientMemo known) {
        introduced = true;
        claimed = true;
        info = known.client();
        principal = known.principal();
        memo = written;
    }

    /** Whether the end of the client's connection leaves its grants alone. */
    boolean isUnbound() {
        return info.detached() || peer.via() == Via.SESSION || !autoRelease;
    }

    /** What the next process must know; null if no grant outlives the connection. */
    byte @Nullable [] memo() {
        if (memo == null && isUnbound()) {
            memo = new ClientMemo(sessionHash, addressGroup, peer, info, principal).encode();
        }
        return memo;
    }

    /** The same object as long as nothing has changed: each event asks for it. On any thread. */
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
