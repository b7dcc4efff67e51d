package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.key.LocalGateway.GatewaySettings;
import io.flockgate.storage.consul.kv.ConsulException;

/**
 * Decides when a slot whose session has ended without a release is free. For the key's own thread
 * only.
 *
 * <ol>
 *   <li>The holder's gateway gives up the grant no later than one TTL after its last renewal, which
 *       was sent before the session ended.
 *   <li>If the session's node has been in the catalog throughout, only the session has ended:
 *       either for lack of renewals, in which case its gateway gave up long ago, or because an
 *       operator ended it. The slot is free at once.
 *   <li>Otherwise the agent has left its cluster, and the holder's gateway may not know that. The
 *       slot is free once this gateway has seen it unchanged for the TTL in the mark plus one
 *       second.
 *   <li>A slot of this gateway is free once its grant has been ended here.
 *   <li>A detached grant has no gateway that gives it up. Its slot is free once this gateway has
 *       seen it unchanged for the longer of the lease and the TTL in its mark, plus one second.
 * </ol>
 */
final class EndedSlots {
    private final Environment environment;
    private final ConsulApi api;
    private final FailureDetector detector;
    private final LocalGrants grants;
    private final GatewaySettings settings;

    EndedSlots(
            Environment environment,
            ConsulApi api,
            FailureDetector detector,
            LocalGrants grants,
            GatewaySettings settings) {
        this.environment = environment;
        this.api = api;
        this.detector = detector;
        this.grants = grants;
        this.settings = settings;
    }

    /**
     * The nanoseconds until the slot is free, not positive when it is; {@code Long.MAX_VALUE} when
     * this class does not decide that.
     */
    long untilFree(KeyView view, Slot slot) {
        HolderMark mark = slot.mark();
        if (mark == null) {
            return Long.MAX_VALUE;
        }
        if (settings.isMine(mark) && !mark.isDetached()) {
            return grants.has(mark.nonce()) ? Long.MAX_VALUE : 0;
        }
        long grace = untilDistrusted(mark, settings, environment.now() - detector.holderUnchangedSince(view, slot));
        return grace > 0 && !mark.isDetached() && hasEndedAlone(slot, mark.origin()) ? 0 : grace;
    }

    /**
     * The nanoseconds for which a holder may still trust a slot whose session has ended and that
     * has been unchanged for this time; not positive when it no longer does.
     */
    static long untilDistrusted(HolderMark mark, GatewaySettings settings, long unchangedNanos) {
        return mark.trustedNanos(settings.options().sessionTtl().toMillis()) - unchangedNanos;
    }

    /** Whether the session's node was in the catalog before the session ended, and still is. */
    private boolean hasEndedAlone(Slot slot, SessionOrigin origin) {
        String node = origin.node();
        try {
            long registeredAt = node == null ? 0 : api.nodeIndex(node);
            return registeredAt != 0
                    && Long.compareUnsigned(registeredAt, slot.entry().modifyIndex()) < 0;
        } catch (ConsulException e) {
            return false;
        }
    }
}
