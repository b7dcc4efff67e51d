package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.consul.format.HolderMark;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Remembers detached grants that may have been written, but that no client was notified of. Such a
 * slot is free when its session has ended, because no holder relies on it. Thread safe.
 */
final class UntoldNonces {
    /** The slots of older ones are free when their leases are over. */
    private static final int MAX_NONCES = 10_000;

    @GuardedBy("this")
    private final LinkedHashSet<String> nonces = new LinkedHashSet<>();

    synchronized void add(HolderMark mark) {
        nonces.add(mark.nonce());
        if (nonces.size() > MAX_NONCES) {
            nonces.removeFirst();
        }
    }

    synchronized boolean has(@Nullable HolderMark mark) {
        return mark != null && nonces.contains(mark.nonce());
    }

    synchronized void remove(@Nullable HolderMark mark) {
        if (mark != null) {
            nonces.remove(mark.nonce());
        }
    }
}
