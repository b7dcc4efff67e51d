package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A key of {@link PlainStorage}: two lists. */
final class PlainKey {
    final Key name;
    final Kind kind;
    long limit;
    final List<Holder> holders = new ArrayList<>();
    final List<Waiter> waiters = new ArrayList<>();
    long lastActivity;

    /** Used by one fault only. */
    long fences;

    PlainKey(Key name, Claim claim, long now) {
        this.name = name;
        this.kind = claim.kind();
        this.limit = claim.limit();
        this.lastActivity = now;
    }

    String id(Waiter waiter, Fault fault) {
        return fault == Fault.IDS_ARE_POSITIONS ? String.valueOf(waiters.indexOf(waiter)) : waiter.id;
    }

    boolean isIdle() {
        return holders.isEmpty() && waiters.isEmpty();
    }

    KeySummary summary(long now) {
        boolean held = !holders.isEmpty();
        return new KeySummary(
                name,
                kind,
                limit,
                holders.size(),
                waiters.size(),
                held ? holders.getFirst().claimant.id() : 0,
                held ? Math.max(0, holders.getFirst().leaseEnd - now) : 0,
                held ? now - holders.getFirst().since : 0,
                true,
                ClientView.UNKNOWN,
                now - lastActivity,
                waiters.isEmpty() ? 0 : now - waiters.getFirst().since);
    }

    /** One slot. */
    static final class Holder implements Grant {
        final PlainKey at;
        final Claimant claimant;
        final long fence;
        final long salt;
        final long since;
        long leaseEnd;

        Holder(PlainKey at, Claimant claimant, long fence, long salt, long since, long leaseEnd) {
            this.at = at;
            this.claimant = claimant;
            this.fence = fence;
            this.salt = salt;
            this.since = since;
            this.leaseEnd = leaseEnd;
        }

        @Override
        public Key key() {
            return at.name;
        }

        @Override
        public Kind kind() {
            return at.kind;
        }

        @Override
        public long fence() {
            return fence;
        }

        @Override
        public long salt() {
            return salt;
        }

        @Override
        public long grantedAtNanos() {
            return since;
        }
    }

    /** One place in the queue, compared by identity. */
    static final class Waiter implements Ticket {
        private final PlainKey at;
        final Claimant claimant;
        final long leaseSeconds;
        final long since;
        final String id = UUID.randomUUID().toString();

        Waiter(PlainKey at, Claimant claimant, long leaseSeconds, long since) {
            this.at = at;
            this.claimant = claimant;
            this.leaseSeconds = leaseSeconds;
            this.since = since;
        }

        PlainKey at() {
            return at;
        }

        @Override
        public Key key() {
            return at.name;
        }
    }
}
