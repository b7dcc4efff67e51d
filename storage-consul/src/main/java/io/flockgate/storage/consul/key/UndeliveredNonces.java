package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.format.HolderMark;
import java.util.LinkedHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Remembers detached grants that may have been written, but of which no client was notified. Such a
 * slot is free once its session has ended, because no holder relies on it. Thread safe.
 */
final class UndeliveredNonces {
    /** The slots of older, forgotten grants are free once their leases have ended. */
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
