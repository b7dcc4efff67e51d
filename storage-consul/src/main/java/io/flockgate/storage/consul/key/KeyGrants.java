package io.flockgate.storage.consul.key;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.Slot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one key: made, renewed, released, ended, and looked for in what Consul shows. For the key's own thread only,
 * but for {@link #lost}.
 */
final class KeyGrants {
    private final Key key;
    private final Node node;
    private final KeyStore store;
    private final KeyQueue queue;
    private final Freeing freeing;
    private final Endings endings;
    private final Map<String, LocalGrant> grants = new ConcurrentHashMap<>();

    KeyGrants(Key key, Node node, KeyStore store, KeyQueue queue) {
        this.key = key;
        this.node = node;
        this.store = store;
        this.queue = queue;
        this.freeing = new Freeing(node, store, this, queue);
        this.endings = new Endings(node);
    }

    boolean isEmpty() {
        return grants.isEmpty();
    }

    /** Takes in a grant that Consul shows; null when it may not be told: then it is freed. */
    @Nullable
    LocalGrant made(Candidate candidate, WriteOutcome.Done done) {
        Slot slot = done.view().slotOf(candidate.nonce()).orElse(null);
        boolean safe = slot != null
                && node.sessions().isSafe(slot.session())
                && node.fences().rises(slot.fenceIndex(), done.seenBefore());
        if (slot == null || !safe) {
            giveBack(candidate);
            return null;
        }
        long fence = node.fences().fence(slot.fenceIndex());
        LocalGrant grant = new LocalGrant(key, candidate.grantee().kind(), fence, candidate, done.sentAt());
        grants.put(grant.nonce(), grant);
        node.localIndex().add(grant);
        if (!node.sessions().isSafe(slot.session())) {
            end(grant, Ending.LOST);
        }
        return grant;
    }

    /**
     * Writes what makes a grant, or none. A candidate whose grant is not known to be made gives its session back; should it be
     * granted all the same, it is found as a grant that nobody here knows, and freed.
     */
    WriteOutcome write(
            List<KvOp> operations, @Nullable Candidate candidate, Predicate<KeyView> applied, long deadline) {
        WriteOutcome written = null;
        try {
            written = store.write(operations, applied, deadline);
            return written;
        } finally {
            if (candidate != null && !(written instanceof WriteOutcome.Done)) {
                giveBack(candidate);
            }
        }
    }

    private void giveBack(Candidate candidate) {
        node.sessions().giveBackHolder(candidate.session());
    }

    /** Ends the grant of this token, made through whichever gateway. */
    ReleaseOutcome release(Token token, long deadline) {
        LocalGrant grant = find(token);
        if (grant != null) {
            return release(grant, deadline);
        }
        return free(view -> slotOf(view, token), deadline) ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    private ReleaseOutcome release(LocalGrant grant, long deadline) {
        grant.beginRelease();
        try {
            boolean freed = free(view -> view.slotOf(grant.nonce()), deadline);
            end(grant, freed ? Ending.RELEASED : Ending.LOST);
            return freed ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
        } catch (ConsulException e) {
            // It is tried again until it is free.
            throw new ConsulException(e.kind(), Effect.UNKNOWN, String.valueOf(e.getMessage()), e);
        }
    }

    private @Nullable LocalGrant find(Token token) {
        LocalGrant found = null;
        for (LocalGrant grant : grants.values()) {
            if (token.matches(grant.fence(), grant.salt())) {
                found = grant;
            }
        }
        return found;
    }

    private Optional<Slot> slotOf(KeyView view, Token token) {
        return view.slots().stream()
                .filter(each -> node.fences().fence(each.fenceIndex()) == token.fence())
                .filter(each -> {
                    HolderMark mark = each.mark();
                    return mark != null && mark.isOf(token);
                })
                .findFirst();
    }

    /** Frees a slot, as {@link Freeing#free} does. */
    boolean free(Function<KeyView, Optional<Slot>> which, long deadline) {
        return freeing.free(which, deadline);
    }

    /** Starts the lease of this token's grant anew. */
    RenewOutcome renew(Token token, long leaseSeconds, long deadline) {
        LocalGrant grant = find(token);
        if (grant == null) {
            return renewForOther(token, leaseSeconds, deadline);
        }
        if (grant.hasEnded(node.now())) {
            expire(grant, deadline);
            if (!grants.containsKey(grant.nonce())) {
                return RenewOutcome.LEASE_EXPIRED;
            }
        }
        if (grant.isReleasing() || !node.sessions().isSafe(grant.session())) {
            return RenewOutcome.NOT_HELD;
        }
        boolean silent = node.settings().isLong(leaseSeconds) && grant.isSilent();
        return silent ? renewSilently(grant, leaseSeconds, deadline) : renewInConsul(grant, leaseSeconds, deadline);
    }

    /**
     * Nobody looks after such leases but the session: it is enough to see that the grant still stands, and that nobody has
     * renewed it otherwise, so that others would look after it now.
     */
    private RenewOutcome renewSilently(LocalGrant grant, long leaseSeconds, long deadline) {
        long asked = node.now();
        KeyView view = store.read(Consistency.CONSISTENT, deadline);
        HolderMark mark = view.slotOf(grant.nonce()).map(Slot::mark).orElse(null);
        if (mark == null || !node.sessions().isSafe(grant.session())) {
            observe(view);
            return RenewOutcome.NOT_HELD;
        }
        if (!mark.silent()) {
            return renewInConsul(grant, leaseSeconds, deadline);
        }
        grant.leaseFrom(asked, leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    private RenewOutcome renewInConsul(LocalGrant grant, long leaseSeconds, long deadline) {
        grant.beginRenewal();
        boolean silently = node.settings().isLong(leaseSeconds);
        WriteOutcome.Done done = write(view -> view.slotOf(grant.nonce()), leaseSeconds, silently, deadline);
        if (done == null || !grants.containsKey(grant.nonce())) {
            KeyView view = store.seen();
            if (view != null) {
                observe(view);
            }
            return RenewOutcome.NOT_HELD;
        }
        done.view().slotOf(grant.nonce()).map(Slot::mark).ifPresent(grant::marked);
        grant.leaseFrom(done.sentAt(), leaseSeconds);
        return RenewOutcome.RENEWED;
    }

    /** Always written, so that its gateway notices; whether that renews such a lease silently is not known here. */
    private RenewOutcome renewForOther(Token token, long leaseSeconds, long deadline) {
        Function<KeyView, Optional<Slot>> others = view -> slotOf(view, token).filter(slot -> !isOfThisProcess(slot));
        return write(others, leaseSeconds, false, deadline) == null ? RenewOutcome.NOT_HELD : RenewOutcome.RENEWED;
    }

    /** What this process has made and does not know any more has been given up: its holder has been told, and it is being freed. */
    private boolean isOfThisProcess(Slot slot) {
        return node.settings().isMine(slot.mark());
    }

    /** Writes a renewal; null when there is no such slot. */
    private WriteOutcome.@Nullable Done write(
            Function<KeyView, Optional<Slot>> which, long leaseSeconds, boolean silently, long deadline) {
        KeyView view = store.read(deadline);
        for (int conflicts = 1; ; conflicts++) {
            Slot slot = which.apply(view).orElse(null);
            if (slot == null) {
                return null;
            }
            HolderMark mark = slot.mark();
            long next = mark == null ? 0 : mark.sequence() + 1;
            WriteOutcome written = store.write(
                    node.transactions().renew(slot, TimeUnit.SECONDS.toMillis(leaseSeconds), silently),
                    after -> which.apply(after)
                            .map(Slot::mark)
                            .filter(now -> now.sequence() == next)
                            .isPresent(),
                    deadline);
            if (written instanceof WriteOutcome.Done done) {
                return done;
            }
            view = store.readAfterConflict(conflicts, deadline);
        }
    }

    /** Ends every grant whose lease has ended, and goes on with those whose release was not certain. */
    void expireDue(long deadline) {
        for (LocalGrant grant : List.copyOf(grants.values())) {
            if (grant.isReleasing() || grant.hasEnded(node.now())) {
                expire(grant, deadline);
            }
        }
    }

    private void expire(LocalGrant grant, long deadline) {
        boolean released = grant.isReleasing();
        if (!released && adoptsRenewal(grant, store.likely(deadline))) {
            return;
        }
        boolean freed = free(view -> view.slotOf(grant.nonce()).filter(slot -> !isRenewed(grant, slot)), deadline);
        KeyView view = store.seen();
        if (!freed && !released && view != null && adoptsRenewal(grant, view)) {
            return;
        }
        end(grant, released ? Ending.RELEASED : Ending.EXPIRED);
    }

    private static boolean isRenewed(LocalGrant grant, Slot slot) {
        HolderMark mark = slot.mark();
        return mark != null && mark.sequence() > grant.sequence();
    }

    /** Whether another gateway has renewed the grant: its lease runs anew, from now at the latest. */
    private boolean adoptsRenewal(LocalGrant grant, KeyView view) {
        HolderMark mark = view.slotOf(grant.nonce()).map(Slot::mark).orElse(null);
        if (mark == null || mark.sequence() <= grant.sequence()) {
            return false;
        }
        grant.marked(mark);
        grant.leaseFrom(node.now(), Math.max(1, TimeUnit.MILLISECONDS.toSeconds(mark.leaseMillis())));
        return true;
    }

    /** Compares the grants with what Consul shows: those that others have released, evicted or struck have ended. */
    void observe(KeyView view) {
        for (LocalGrant grant : List.copyOf(grants.values())) {
            if (view.slotOf(grant.nonce()).isPresent()) {
                boolean unused = adoptsRenewal(grant, view);
            } else {
                end(grant, endings.of(grant, view));
            }
        }
    }

    /** Tells the end of a grant. */
    private void end(LocalGrant grant, Ending ending) {
        if (grants.remove(grant.nonce()) != null) {
            node.localIndex().remove(grant);
            node.sessions().giveBackHolder(grant.session());
            grant.claimant().ended(grant, ending);
        }
    }

    /** Everything under these sessions is lost. From any thread: what holds up the key must not hold up this. */
    void lost(Set<String> sessions) {
        for (LocalGrant grant : List.copyOf(grants.values())) {
            if (sessions.contains(grant.session())) {
                end(grant, Ending.LOST);
            }
        }
    }

    /** The gateway ends: tells all holders, then frees their slots as far as that goes. */
    void close(long deadline) {
        List<LocalGrant> last = List.copyOf(grants.values());
        last.forEach(grant -> end(grant, Ending.LOST));
        for (LocalGrant grant : last) {
            boolean unused = free(view -> view.slotOf(grant.nonce()), deadline);
        }
    }

    /** When the next lease ends, or something has to be tried again; as far away as can be when nothing has. */
    long nextDue(long now) {
        long due = Long.MAX_VALUE;
        for (LocalGrant grant : grants.values()) {
            due = Math.min(due, grant.isReleasing() ? TimeUnit.SECONDS.toNanos(1) : grant.leaseEndNanos() - now);
        }
        return due;
    }

    /** Frees the slots that this process has made and does not know: of writes whose result it could not wait for. */
    void tidy(KeyView view, long deadline) {
        for (Slot slot : view.slots()) {
            boolean ours =
                    node.settings().isMine(slot.mark()) || node.sessions().isSafe(slot.session());
            if (ours && !isKnown(slot.mark())) {
                long index = slot.entry().modifyIndex();
                boolean unused = free(now -> slotAt(now, slot.session(), index), deadline);
            }
        }
        for (KvEntry left : view.leftOver()) {
            HolderMark mark = HolderMark.parse(left.value());
            if (node.settings().isMine(mark) && !isKnown(mark)) {
                WriteOutcome unused =
                        store.write(node.transactions().tidy(left), after -> after.entry(left.key()) == null, deadline);
            }
        }
    }

    private static Optional<Slot> slotAt(KeyView view, String session, long index) {
        return view.slots().stream()
                .filter(each -> each.session().equals(session) && each.entry().modifyIndex() == index)
                .findFirst();
    }

    /** False of a grant whose write had no certain result, and of one that somebody has overwritten under our session. */
    private boolean isKnown(@Nullable HolderMark mark) {
        return mark != null && (grants.containsKey(mark.nonce()) || queue.isOnItsWay(mark.nonce()));
    }
}
