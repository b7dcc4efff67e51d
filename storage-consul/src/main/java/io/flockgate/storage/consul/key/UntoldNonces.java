package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashSet;

/**
 * Remembers detached grants that may have been written, but that no client was told of. Such a slot
 * is free when its session has ended: nobody believes in it. Thread safe.
 */
final class UntoldNonces {
    /** The slots of older ones are free when their leases are over. */
    private static final int MAX_NONCES = 10_000;

    @GuardedBy("this")
    private final LinkedHashSet<String> nonces = new LinkedHashSet<>();

    synchronized void add(String nonce) {
        nonces.add(nonce);
        if (nonces.size() > MAX_NONCES) {
            nonces.removeFirst();
        }
    }

    synchronized boolean has(String nonce) {
        return nonces.contains(nonce);
    }

    synchronized void remove(String nonce) {
        nonces.remove(nonce);
    }
}
