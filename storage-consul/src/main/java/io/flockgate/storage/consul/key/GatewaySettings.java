package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.HolderMark;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this gateway that all keys share.
 *
 * @param process the name of this process, of which there is only one
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param sessionTtl how long Consul keeps a session at least without a renewal
 * @param idle how long a key may be idle until it is forgotten
 */
public record GatewaySettings(String process, long maxWaiters, Duration sessionTtl, Duration idle) {
    /** Whether a mark of this gateway name is of this process. */
    boolean isMine(String gateway) {
        return process.equals(gateway);
    }

    /** Whether this process made the grant that has the mark. */
    boolean isMine(@Nullable HolderMark mark) {
        return mark != null && isMine(mark.gateway());
    }

    /**
     * Whether this gateway renews leases of this length without a write. If it dies, they end with their session. The mark says so,
     * because other gateways may have sessions of another time to live.
     */
    boolean isLong(long leaseSeconds) {
        return leaseSeconds >= 2 * sessionTtl.toSeconds();
    }
}
