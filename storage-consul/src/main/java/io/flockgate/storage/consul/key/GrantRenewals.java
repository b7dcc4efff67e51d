package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.SemaphoreDocument;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Renews grants by writes. For the key's own thread only.
 *
 * <ol>
 *   <li>A plain grant whose slot has a session of another gateway is taken over: one transaction
 *       gives the slot this gateway's session and mark, so that the confirmed lease does not end
 *       with the other gateway.
 *   <li>The gateway that has taken a grant over ends its lease. The gateway that made it continues
 *       as before, because each renewal of such a grant is a write, which it sees.
 *   <li>While the result of a take-over is unknown, this gateway keeps the grant for as long as its
 *       holder may trust it.
 *   <li>A detached grant keeps its session, which is renewed first.
 * </ol>
 */
final class GrantRenewals {
    private final LocalKey key;
    private final GrantMaker maker;

    GrantRenewals(LocalKey key, GrantMaker maker) {
        this.key = key;
        this.maker = maker;
    }

    /** Renews a grant that this gateway knows. Returns false when Consul no longer has it. */
    boolean renew(LocalGrant grant, long leaseSeconds, long deadline) {
        grant.beginRenewal();
        // The gateway that made a grant must see that this one has renewed it.
        boolean silently = key.settings.isLong(leaseSeconds) && !grant.isDetached() && !grant.isTakenOver();
        WriteOutcome.Done done =
                write(view -> view.slotOf(grant.nonce()), grant.session(), leaseSeconds, silently, deadline);
        if (done == null || !key.grants.has(grant.nonce())) {
            return false;
        }
        done.view().slotOf(grant.nonce()).map(Slot::mark).ifPresent(grant::marked);
        grant.settled();
        grant.sessionRenewed(done.sentAt());
        grant.leaseFrom(done.sentAt(), leaseSeconds);
        return true;
    }

    /**
     * Renews a grant that this gateway does not know. Returns false when Consul does not have it.
     */
    boolean renewForOther(Token token, long leaseSeconds, long deadline) {
        Function<KeyView, Optional<Slot>> others =
                view -> slotOf(view, token).filter(slot -> !key.settings.isMine(slot.mark()));
        KeyView view = key.store.read(deadline);
        Slot slot = others.apply(view).orElse(null);
        HolderMark mark = slot == null ? null : slot.mark();
        if (slot == null || mark == null) {
            return false;
        }
        return mark.isDetached()
                ? write(others, slot.session(), leaseSeconds, false, deadline) != null
                : takeOver(view, slot, mark, token, leaseSeconds, deadline);
    }

    private Optional<Slot> slotOf(KeyView view, Token token) {
        return view.slots().stream()
                .filter(each -> !each.hasEnded())
                .filter(each -> each.mark() != null && each.mark().isOf(token.salt()))
                .filter(each -> key.gateway.fences.fence(each.fenceIndex()) == token.fence())
                .findFirst();
    }

    private boolean takeOver(KeyView view, Slot slot, HolderMark mark, Token token, long leaseSeconds, long deadline) {
        long now = key.now();
        LocalGrant grant = maker.takeOver(view, claim(view, slot, leaseSeconds), mark, token);
        // The holder trusts its last lease for this long, even if this write has no effect or takes
        // effect late.
        grant.leaseFrom(now, Math.max(leaseSeconds, TimeUnit.MILLISECONDS.toSeconds(mark.leaseMillis()) + 1));
        boolean mayBeDone = false;
        try {
            if (renew(grant, leaseSeconds, deadline)) {
                mayBeDone = true;
                requireConfirmed(grant);
                return true;
            }
            return false;
        } catch (ConsulException e) {
            mayBeDone |= e.effect() != Effect.NOT_DONE;
            throw e;
        } finally {
            if (!mayBeDone) {
                maker.forget(grant);
            }
        }
    }

    private void requireConfirmed(LocalGrant grant) {
        if (!key.sessions.isConfirmed(grant.session())) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.UNKNOWN, "Consul has not confirmed this gateway's sessions");
        }
    }

    private Claim claim(KeyView view, Slot slot, long leaseSeconds) {
        SemaphoreDocument document = view.document();
        return slot.isLock(view.path()) || document == null
                ? new Claim(key.name, Kind.LOCK, 1, leaseSeconds, false)
                : new Claim(key.name, Kind.SEMAPHORE, document.limit(), leaseSeconds, false);
    }

    /** Renews by a write under this session. Returns null when there is no such slot. */
    private WriteOutcome.@Nullable Done write(
            Function<KeyView, Optional<Slot>> which,
            String session,
            long leaseSeconds,
            boolean silently,
            long deadline) {
        KeyView view = key.store.read(deadline);
        for (int conflicts = 1; ; conflicts++) {
            Slot slot = which.apply(view).orElse(null);
            HolderMark mark = slot == null ? null : slot.mark();
            if (slot == null || mark == null) {
                return null;
            }
            if (mark.isDetached()) {
                // Renewed before the lease, so that the session lasts longer. If it has ended,
                // Consul refuses the write.
                key.sessions.renewDetached(slot.session());
            }
            long next = mark.sequence() + 1;
            WriteOutcome written = key.store.write(
                    operations(view, slot, mark, session, TimeUnit.SECONDS.toMillis(leaseSeconds), silently),
                    after -> which.apply(after)
                            .map(Slot::mark)
                            .filter(now -> now.sequence() == next)
                            .isPresent(),
                    deadline);
            if (written instanceof WriteOutcome.Done done) {
                return done;
            }
            view = key.store.readAfterConflict(conflicts, deadline);
        }
    }

    private List<KvOp> operations(
            KeyView view, Slot slot, HolderMark mark, String session, long leaseMillis, boolean silently) {
        if (mark.isDetached() || slot.session().equals(session)) {
            return key.transactions.renew(slot, leaseMillis, silently);
        }
        SessionOrigin origin = key.sessions.origin(session);
        HolderMark renewed = mark.renewed(slot.fenceIndex(), leaseMillis, silently)
                .by(key.settings.process())
                .from(origin);
        SemaphoreDocument document = view.document();
        PendingGrant taken = slot.isLock(view.path()) || document == null
                ? new PendingGrant(Kind.LOCK, 1, session, renewed, 0)
                : new PendingGrant(Kind.SEMAPHORE, document.limit(), session, renewed, 0);
        return key.transactions.takeOver(view, slot, taken);
    }
}
