package io.flockgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.HeldGrant;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A lock and a slot of a semaphore that one client holds through a gateway, each with a waiter at
 * another gateway.
 */
record HeldPair(
        HeldGrant lock, HeldGrant slot, CompletableFuture<HeldGrant> nextLock, CompletableFuture<HeldGrant> nextSlot) {
    /**
     * Acquires both and waits until both waiters are in their queues.
     *
     * @param leaseSeconds the holder's lease
     * @param nextSeconds the lease that the waiters request
     */
    static HeldPair of(ClusterBed bed, LineClient holder, GatewayProcess other, int leaseSeconds, int nextSeconds)
            throws IOException {
        HeldGrant lock = holder.lock("job", 0, leaseSeconds);
        HeldGrant slot = holder.slot("pool", 0, 1, leaseSeconds);
        var nextLock = bed.client(other).lockLater("job", 60, nextSeconds);
        var nextSlot = bed.client(other).slotLater("pool", 60, 1, nextSeconds);
        try (LineClient observer = other.client()) {
            observer.awaitWaiters("job", 1);
            observer.awaitWaiters("pool", 1);
        }
        return new HeldPair(lock, slot, nextLock, nextSlot);
    }

    /**
     * Renews both. A lease that is short from the start could end before the waiters of a busy
     * machine are in their queues.
     */
    void renew(LineClient holder, int leaseSeconds) throws IOException {
        assertThat(holder.renew(lock, leaseSeconds)).isEqualTo("ok " + leaseSeconds);
        assertThat(holder.renew(slot, leaseSeconds)).isEqualTo("ok " + leaseSeconds);
    }

    /**
     * Waits until both waiters are granted, with higher fences, and returns the new holder's lock.
     */
    @CanIgnoreReturnValue
    HeldGrant awaitNext() {
        HeldGrant next = nextLock.join();
        assertThat(next.isAfter(lock)).isTrue();
        assertThat(nextSlot.join().isAfter(slot)).isTrue();
        return next;
    }
}
