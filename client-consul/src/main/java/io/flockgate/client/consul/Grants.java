package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.consul.Writer.Written;
import io.flockgate.consul.format.HolderMark;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Renews and releases grants by their tokens, whichever client acquired them.
 *
 * <ol>
 *   <li>A renewal renews the grant's session, and then rewrites the mark, so that every gateway and
 *       client sees when the lease ends.
 *   <li>If the session has ended, the grant can no longer be renewed.
 *   <li>A release frees the slot, and then ends the session of a detached grant.
 *   <li>After a conflict, read again.
 * </ol>
 *
 * Thread safe.
 */
final class Grants {
    private final Parts parts;

    Grants(Parts parts) {
        this.parts = parts;
    }

    RenewResult renew(GrantRequest request) {
        Token token = Token.parse(request.token());
        if (token == null) {
            return new RenewResult.NotHeld();
        }
        long deadline = parts.deadline(request.timeout());
        for (int conflicts = 1; ; conflicts++) {
            Layout layout = parts.records().layout(deadline);
            KeyView view = parts.read(parts.records().path(request.name()), deadline);
            Slot slot =
                    find(view, token, layout).filter(each -> !each.hasEnded()).orElse(null);
            HolderMark mark = slot == null ? null : slot.mark();
            if (slot == null || mark == null || !isSessionRenewed(slot, mark, deadline)) {
                parts.recheckRecord(deadline);
                return new RenewResult.NotHeld();
            }
            if (renew(layout, view, slot, mark, request.ttl().toMillis(), deadline)) {
                return new RenewResult.Renewed(request.ttl());
            }
            parts.writer().pause(conflicts);
        }
    }

    private boolean renew(Layout layout, KeyView view, Slot slot, HolderMark mark, long leaseMillis, long deadline) {
        long next = mark.sequence() + 1;
        Written written = parts.writer()
                .write(
                        layout,
                        view.path(),
                        layout.transactions().renew(slot, leaseMillis, false),
                        now -> now.slotOf(mark.nonce())
                                .filter(each ->
                                        each.mark() != null && each.mark().sequence() == next)
                                .map(each -> OptionalLong.of(0))
                                .orElse(OptionalLong.empty()),
                        deadline);
        return written instanceof Written.Done;
    }

    /**
     * Renews the session of a detached grant. The session of any other grant ends with its gateway,
     * so no lease under it can be confirmed.
     */
    private boolean isSessionRenewed(Slot slot, HolderMark mark, long deadline) {
        return mark.isDetached() && parts.api().renewSession(slot.session(), deadline);
    }

    static Optional<Slot> find(KeyView view, Token token, Layout layout) {
        return view.slots().stream()
                .filter(each ->
                        each.isOf(token.fence(), token.salt(), layout.record().fence(0)))
                .findFirst();
    }

    /** Frees the slot of a grant. */
    Released release(GrantRequest request) {
        Token token = Token.parse(request.token());
        if (token == null) {
            return new Released(ReleaseResult.NOT_HELD, null);
        }
        long deadline = parts.deadline(request.timeout());
        for (int conflicts = 1; ; conflicts++) {
            Layout layout = parts.records().layout(deadline);
            KeyView view = parts.read(parts.records().path(request.name()), deadline);
            Slot slot = find(view, token, layout).orElse(null);
            HolderMark mark = slot == null ? null : slot.mark();
            if (slot == null || mark == null) {
                return new Released(ReleaseResult.NOT_HELD, null);
            }
            if (free(layout, view, slot, mark.nonce(), deadline)) {
                boolean own = mark.isDetached() && !slot.hasEnded();
                return new Released(ReleaseResult.RELEASED, own ? slot.session() : null);
            }
            parts.writer().pause(conflicts);
        }
    }

    /**
     * @param session the session that only this grant had; null if there is none to end
     */
    record Released(ReleaseResult result, @Nullable String session) {}

    private boolean free(Layout layout, KeyView view, Slot slot, String nonce, long deadline) {
        Written written = parts.writer().free(layout, view, slot, nonce, deadline);
        return written instanceof Written.Done;
    }
}
