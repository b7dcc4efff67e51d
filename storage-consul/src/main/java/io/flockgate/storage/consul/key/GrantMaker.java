package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.PendingGrant;
import io.flockgate.storage.consul.layout.Slot;
import io.flockgate.storage.consul.session.Sessions;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Prepares grants of one key, writes them, and confirms those that Consul shows. For the key's own thread only, but for {@link
 * #end}.
 */
final class GrantMaker {
    /** Each offer of a semaphore reserves a session. Waiters further behind come to the head without an offer. */
    private static final int MAX_OFFERS = 16;

    private final KeyStore store;
    private final LocalGrants grants;
    private final Sessions sessions;
    private final FenceGuard fences;
    private final GatewaySettings settings;
    private final RandomGenerator random;

    /** The sessions that offers reserve. Of semaphores only: the gateway's own session holds all its locks. */
    private final Set<String> offered = new HashSet<>();

    GrantMaker(
            KeyStore store,
            LocalGrants grants,
            Sessions sessions,
            FenceGuard fences,
            GatewaySettings settings,
            RandomGenerator random) {
        this.store = store;
        this.grants = grants;
        this.sessions = sessions;
        this.fences = fences;
        this.settings = settings;
        this.random = random;
    }

    /**
     * Prepares a grant, with a session that is not, and was not, a holder of this key.
     *
     * @throws ConsulException when there is no such session, or fences do not rise
     */
    PendingGrant prepare(KeyView view, Claim claim) {
        fences.requireRising();
        return pending(
                claim, claim.kind() == Kind.LOCK ? sessions.own() : sessions.takeHolder(id -> isUnused(view, id)));
    }

    /**
     * Prepares a grant that other gateways may make. Only for a lease that no other gateway counts: the end of another lease might
     * come before this gateway learns of the grant.
     *
     * @return null when nothing is offered
     */
    @Nullable
    PendingGrant offer(@Nullable KeyView view, Claim claim) {
        boolean lock = claim.kind() == Kind.LOCK;
        boolean possible = lock || (view != null && offered.size() < MAX_OFFERS);
        if (!possible || !settings.isLong(claim.leaseSeconds()) || !fences.rise()) {
            return null;
        }
        try {
            if (lock || view == null) {
                return pending(claim, sessions.own());
            }
            PendingGrant offer = pending(claim, sessions.takeHolder(id -> isUnused(view, id)));
            offered.add(offer.session());
            return offer;
        } catch (ConsulException e) {
            return null;
        }
    }

    private PendingGrant pending(Claim claim, String session) {
        long salt = random.nextLong();
        String nonce = HexFormat.of().toHexDigits(random.nextLong());
        HolderMark mark = HolderMark.of(
                settings.process(),
                nonce,
                salt,
                TimeUnit.SECONDS.toMillis(claim.leaseSeconds()),
                settings.isLong(claim.leaseSeconds()));
        return new PendingGrant(claim.kind(), claim.limit(), session, mark, salt);
    }

    /** Whether a session holds no slot of this key, is not about to, and is not offered for one. */
    private boolean isUnused(KeyView view, String session) {
        var document = view.document();
        return !offered.contains(session)
                && view.entry(view.path().contender(session)) == null
                && (document == null || !document.holders().contains(session));
    }

    /** No gateway may make the offered grant any more. */
    void withdraw(@Nullable PendingGrant offer) {
        if (offer != null) {
            offered.remove(offer.session());
            discard(offer);
        }
    }

    /** Another gateway has made the offered grant. */
    void taken(PendingGrant offer) {
        offered.remove(offer.session());
    }

    private void discard(PendingGrant pending) {
        sessions.giveBackHolder(pending.session());
    }

    /**
     * Writes operations that make this grant. If it is not known to be made, its session is given back. Should it be made all the
     * same, this gateway finds it as a grant that it does not know, and frees it.
     */
    WriteOutcome write(List<KvOp> operations, PendingGrant pending, Predicate<KeyView> applied, long deadline) {
        WriteOutcome outcome = null;
        try {
            outcome = store.write(operations, applied, deadline);
            return outcome;
        } finally {
            if (!(outcome instanceof WriteOutcome.Done)) {
                discard(pending);
            }
        }
    }

    /** Takes in a grant that Consul shows. Null when its holder must not be told of it: then it is to be freed. */
    @Nullable
    LocalGrant confirm(PendingGrant pending, Claim claim, Claimant claimant, WriteOutcome.Done done) {
        Slot slot = done.view().slotOf(pending.nonce()).orElse(null);
        boolean safe =
                slot != null && sessions.isSafe(slot.session()) && fences.rises(slot.fenceIndex(), done.seenBefore());
        if (slot == null || !safe) {
            discard(pending);
            return null;
        }
        LocalGrant grant = new LocalGrant(claim, claimant, fences.fence(slot.fenceIndex()), pending, done.sentAt());
        grants.add(grant);
        // The session may have been given up before the grant could be found under it.
        if (!sessions.isSafe(slot.session())) {
            end(grant, Ending.LOST);
        }
        return grant;
    }

    /** Ends a grant, and notifies its claimant. From any thread. */
    void end(LocalGrant grant, Ending ending) {
        if (grants.remove(grant)) {
            sessions.giveBackHolder(grant.session());
            grant.claimant().ended(grant, ending);
        }
    }
}
