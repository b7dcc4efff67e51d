package io.flockgate.storage.rules;

import io.flockgate.storage.Grant.Ending;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A plain model of {@link KeyState}: two lists, without regard to speed. Claimants are numbers;
 * time is in nanoseconds and does not wrap. A fence identifies a grant.
 */
final class NaiveKey {
    private static final long NANOS = 1_000_000_000L;

    /** One holder. */
    record Slot(long claimant, long fence, long ends) {}

    /** One waiter: claimants of the model wait once each. */
    record Place(long claimant, long seconds) {}

    long limit;
    final TestLimits limits;
    final List<Slot> slots = new ArrayList<>();
    final List<Place> places = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    long lastFence;
    long fencesLeft = Long.MAX_VALUE;
    long lastActivity;

    NaiveKey(long limit, TestLimits limits) {
        this.limit = limit;
        this.limits = limits;
    }

    String claim(long claimant, long claimed, long seconds, boolean mayQueue, long now) {
        if (claimed != limit) {
            expireAll(now);
            if (!slots.isEmpty() || !places.isEmpty()) {
                return "LIMIT_MISMATCH";
            }
            limit = claimed;
        }
        lastActivity = now;
        expireAll(now);
        grantWaiters(now);
        if (slots.size() < limit) {
            return places.isEmpty() && fencesLeft > 0
                    ? "held " + grant(claimant, seconds, now).fence()
                    : "no fence";
        }
        if (limits.maxWaiters() > 0 && places.size() >= limits.maxWaiters()) {
            return "MAX_WAITERS";
        }
        if (!mayQueue) {
            return "BUSY";
        }
        places.add(new Place(claimant, seconds));
        return "queued";
    }

    boolean leave(long claimant, long now) {
        boolean left = places.removeIf(each -> each.claimant() == claimant);
        lastActivity = left ? now : lastActivity;
        return left;
    }

    void setLimit(long newLimit, long now) {
        limit = newLimit;
        expireAll(now);
        grantWaiters(now);
    }

    boolean release(long fence, long now) {
        Optional<Slot> slot = slot(fence);
        slot.ifPresent(each -> {
            end(each, Ending.RELEASED, now);
            grantWaiters(now);
        });
        return slot.isPresent();
    }

    String renew(long fence, long seconds, long now) {
        Optional<Slot> slot = slot(fence);
        if (slot.isEmpty()) {
            return "NOT_HELD";
        }
        if (slot.get().ends() <= now) {
            end(slot.get(), Ending.EXPIRED, now);
            grantWaiters(now);
            return "LEASE_EXPIRED";
        }
        lastActivity = now;
        events.add("renewed " + fence);
        slots.set(slots.indexOf(slot.get()), new Slot(slot.get().claimant(), fence, now + seconds * NANOS));
        return "RENEWED";
    }

    void expireAll(long now) {
        List<Slot> ended = slots.stream().filter(each -> each.ends() <= now).toList();
        ended.forEach(each -> end(each, Ending.EXPIRED, now));
        if (!ended.isEmpty()) {
            grantWaiters(now);
        }
    }

    void expireOne(long fence, long now) {
        slot(fence).filter(each -> each.ends() <= now).ifPresent(each -> {
            end(each, Ending.EXPIRED, now);
            grantWaiters(now);
        });
    }

    void grantWaiters(long now) {
        while (slots.size() < limit && !places.isEmpty()) {
            if (fencesLeft == 0) {
                events.add("stalled");
                return;
            }
            Place head = places.removeFirst();
            Slot slot = grant(head.claimant(), head.seconds(), now);
            events.add("promoted " + head.claimant() + " " + slot.fence());
        }
    }

    private Slot grant(long claimant, long seconds, long now) {
        lastFence++;
        fencesLeft--;
        lastActivity = now;
        Slot slot = new Slot(claimant, lastFence, now + seconds * NANOS);
        slots.add(slot);
        events.add("held " + claimant + " " + lastFence);
        return slot;
    }

    private void end(Slot slot, Ending ending, long now) {
        slots.remove(slot);
        lastActivity = now;
        events.add("ended " + slot.fence() + " " + ending);
    }

    private Optional<Slot> slot(long fence) {
        return slots.stream().filter(each -> each.fence() == fence).findFirst();
    }

    /** The fences of all holders, oldest first. */
    List<Long> fences() {
        return slots.stream().map(Slot::fence).sorted(Comparator.naturalOrder()).toList();
    }
}
