package io.flockgate.storage.consul.key;

import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.QueuedTicket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this gateway that all keys share.
 *
 * @param process the unique name of this process
 * @param limits the caps on keys, holders and waiters
 * @param sessionTtl the minimum time for which Consul keeps a session without a renewal
 * @param idle the time for which a key may be idle before it is forgotten
 */
public record GatewaySettings(
        String process, StorageLimits limits, Duration sessionTtl, Duration idle, ConsulConfig options) {
    /** Whether this process wrote a mark that names this gateway. */
    boolean isMine(String gateway) {
        return process.equals(gateway);
    }

    /** Whether this process wrote the ticket. */
    boolean isMine(QueuedTicket ticket) {
        return isMine(ticket.mark().gateway());
    }

    /** Whether this process made the grant that has the mark. */
    boolean isMine(@Nullable HolderMark mark) {
        return mark != null && isMine(mark.gateway());
    }

    /**
     * Whether this gateway renews leases of this length without a write. If it dies, they end with
     * their session. The mark states which leases are renewed this way, because other gateways may
     * have another TTL.
     */
    boolean isLong(long leaseSeconds) {
        return leaseSeconds >= 2 * sessionTtl.toSeconds();
    }
}
