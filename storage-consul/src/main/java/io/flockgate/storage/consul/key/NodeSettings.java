package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.HolderMark;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the keys of one gateway have to know about it.
 *
 * @param process the name of this process, of which there is only one
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param sessionTtl how long Consul keeps a session at least without a renewal
 * @param idle how long a key may be idle until it is forgotten
 */
public record NodeSettings(String process, long maxWaiters, Duration sessionTtl, Duration idle) {
    /** Whether this is what this process writes into its marks. */
    boolean isMine(String gateway) {
        return process.equals(gateway);
    }

    /** Whether this process made the grant that the mark is of. */
    boolean isMine(@Nullable HolderMark mark) {
        return mark != null && isMine(mark.gateway());
    }

    /**
     * Leases as long as this are renewed silently by this gateway, and ended by the end of their session if it dies. A mark says
     * whether it is of such a lease: other gateways may have another time to live.
     */
    boolean isLong(long leaseSeconds) {
        return leaseSeconds >= 2 * sessionTtl.toSeconds();
    }
}
