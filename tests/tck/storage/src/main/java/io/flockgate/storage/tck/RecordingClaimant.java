package io.flockgate.storage.tck;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A claimant that records its notifications and lets tests wait for them. It lists faults of the
 * storage: a grant or an ending notified twice, or a grant before its claim was answered. Thread
 * safe.
 */
public final class RecordingClaimant implements Claimant {
    private final long id;
    private final boolean detached;
    private final byte @Nullable [] memo;
    private final IdentityHashMap<Ticket, Grant> granted = new IdentityHashMap<>();
    private final IdentityHashMap<Grant, Ending> ended = new IdentityHashMap<>();
    private final Set<Ticket> removed = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<String> faults = new ArrayList<>();
    private @Nullable Future<ClaimOutcome> claim;

    public RecordingClaimant(long id) {
        this(id, false);
    }

    public RecordingClaimant(long id, boolean detached) {
        this(id, detached, null);
    }

    public RecordingClaimant(long id, boolean detached, byte @Nullable [] memo) {
        this.id = id;
        this.detached = detached;
        this.memo = memo;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public boolean isDetached() {
        return detached;
    }

    @Override
    public byte @Nullable [] memo() {
        return memo;
    }

    /** The name and the address of this claimant contain its number. */
    @Override
    public ClientDescription description() {
        return new ClientDescription(
                id % 2 == 0 ? Via.SESSION : Via.CONNECTION, "client-" + id, "192.0.2.7:" + (50_000 + id % 10_000));
    }

    /** Must be called with the answer of each claim, as soon as the call returns. */
    public synchronized void claimed(Future<ClaimOutcome> answer) {
        claim = answer;
    }

    @Override
    public synchronized void granted(Ticket ticket, Grant grant) {
        if (granted.put(ticket, grant) != null) {
            faults.add("granted twice: " + ticket.key());
        }
        if (removed.contains(ticket)) {
            faults.add("granted after its removal: " + ticket.key());
        }
        if (claim != null && !claim.isComplete()) {
            faults.add("granted before the claim was answered: " + ticket.key());
        }
        notifyAll();
    }

    @Override
    public synchronized void removed(Ticket ticket) {
        if (!removed.add(ticket)) {
            faults.add("removed twice: " + ticket.key());
        }
        if (granted.containsKey(ticket)) {
            faults.add("removed after its grant: " + ticket.key());
        }
        if (claim != null && !claim.isComplete()) {
            faults.add("removed before the claim was answered: " + ticket.key());
        }
        notifyAll();
    }

    @Override
    public synchronized void ended(Grant grant, Ending ending) {
        Ending before = ended.put(grant, ending);
        if (before != null) {
            faults.add("ended twice: " + grant.key() + ", " + before + " and " + ending);
        }
        notifyAll();
    }

    /** Waits for the grant of this ticket. */
    public synchronized Grant awaitGranted(Ticket ticket) {
        awaitThat("a grant of " + ticket.key(), () -> granted.containsKey(ticket));
        Grant grant = granted.get(ticket);
        if (grant == null) {
            throw new AssertionError("notified of a grant that is null");
        }
        return grant;
    }

    /** Waits until an operator has removed this ticket. */
    public synchronized void awaitRemoved(Ticket ticket) {
        awaitThat("the removal of " + ticket.key(), () -> removed.contains(ticket));
    }

    /** Whether an operator has removed this ticket. */
    public synchronized boolean isRemoved(Ticket ticket) {
        return removed.contains(ticket);
    }

    /** Waits for the end of this grant. */
    public synchronized Ending awaitEnded(Grant grant) {
        awaitThat("the end of a grant of " + grant.key(), () -> ended.containsKey(grant));
        Ending ending = ended.get(grant);
        if (ending == null) {
            throw new AssertionError("notified of an ending that is null");
        }
        return ending;
    }

    private void awaitThat(String what, BooleanSupplier happened) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.SECONDS);
        while (!happened.getAsBoolean()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("no notification within " + Await.SECONDS + " s: " + what);
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** The number of notified grants so far. */
    public synchronized int grants() {
        return granted.size();
    }

    /** The ending of this grant, if notified; null so far. */
    public synchronized @Nullable Ending ending(Grant grant) {
        return ended.get(grant);
    }

    /** The storage's faults; empty when there are none. */
    public synchronized List<String> faults() {
        return List.copyOf(faults);
    }
}
