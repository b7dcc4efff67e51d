package io.flockgate.gateway.server.http;

import io.flockgate.testsupport.HeldGrant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Detects two concurrent holders of a lock, falling fences and lost grants, as clients see them.
 * Thread safe.
 */
final class HoldingChecker {
    private static final int MAX_FAULTS = 20;

    private final Map<String, Holding> byKey = new HashMap<>();
    private final Map<String, HeldGrant> last = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long grants;
    private long survivors;

    /** A grant from its answer until its client gives it up or no longer trusts it. */
    static final class Holding {
        final HeldGrant grant;
        final int generation;
        volatile long trustedUntil;

        private Holding(HeldGrant grant, int generation, long trustedUntil) {
            this.grant = grant;
            this.generation = generation;
            this.trustedUntil = trustedUntil;
        }

        boolean isTrusted() {
            return System.nanoTime() - trustedUntil < 0;
        }
    }

    /**
     * @param generation the number of the process that answered
     */
    synchronized Holding enter(HeldGrant grant, int generation, long trustedUntil) {
        Holding entering = new Holding(grant, generation, trustedUntil);
        Holding before = byKey.put(grant.key(), entering);
        if (before != null && before.isTrusted()) {
            fault("two holders of " + grant.key() + ": fences " + before.grant.fence() + " and " + grant.fence());
        }
        HeldGrant earlier = last.put(grant.key(), grant);
        if (earlier != null && !grant.isAfter(earlier)) {
            fault("the fence of " + grant.key() + " falls from " + earlier.fence() + " to " + grant.fence());
        }
        grants++;
        return entering;
    }

    /** The client gives up the grant. Call this before the release. */
    synchronized void leave(Holding holding) {
        byKey.remove(holding.grant.key(), holding);
    }

    /** A server reports that a grant is held. */
    synchronized void confirmed(Holding holding, int generation) {
        if (generation > holding.generation) {
            survivors++;
        }
    }

    /** A server reports that a grant is not held. */
    synchronized void denied(Holding holding, String call) {
        if (holding.isTrusted()) {
            fault("the grant of " + holding.grant.key() + " with fence " + holding.grant.fence() + " is lost at a "
                    + call);
        }
    }

    synchronized void fault(String text) {
        if (faults.size() < MAX_FAULTS) {
            faults.add(text);
        }
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized long grants() {
        return grants;
    }

    /** How often a process has confirmed a grant of an earlier process. */
    synchronized long survivors() {
        return survivors;
    }
}
