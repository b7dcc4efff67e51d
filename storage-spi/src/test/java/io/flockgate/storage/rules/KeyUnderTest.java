package io.flockgate.storage.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Token;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link KeyState} beside a {@link NaiveKey}: every step is applied to both, and the results must
 * agree.
 */
final class KeyUnderTest implements KeyStateListener, TokenGenerator {
    private static final Key KEY = Key.of("k");

    private final KeyState state;
    private final NaiveKey model;
    private final Kind kind;
    private final long offset;
    private final List<Holder> grants = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private long now;
    private long fence;
    private long fencesLeft = Long.MAX_VALUE;

    /** The maximum number of holders: more than the limit after a lower one was set. */
    private long ceiling;

    /** {@code offset} is how far the key's clock is ahead of the model's, which does not wrap. */
    KeyUnderTest(Kind kind, long limit, TestLimits limits, long offset) {
        this.kind = kind;
        this.offset = offset;
        this.ceiling = limit;
        this.state = new KeyState(KEY, kind, limit, offset);
        this.model = new NaiveKey(limit, limits);
    }

    void take(KeyStep step) {
        switch (step) {
            case KeyStep.DoClaim claim -> claim(claim);
            case KeyStep.DoLeave leave -> leave(leave.which());
            case KeyStep.DoSetLimit set -> setLimit(set.limit());
            case KeyStep.DoRelease release -> release(release.which());
            case KeyStep.DoRenew renew -> renew(renew);
            case KeyStep.Forge forge -> forge(forge.which());
            case KeyStep.Pass pass -> now += pass.nanos();
            case KeyStep.ExpireAll all -> expireAll();
            case KeyStep.ExpireOne one -> expireOne(one.which());
            case KeyStep.Ration ration -> ration(Math.min(fencesLeft, ration.fences()));
            case KeyStep.Refill refill -> {
                ration(Integer.MAX_VALUE);
                state.promote(clock(), this, this);
                model.grantWaiters(now);
            }
        }
        isAsTheModelSays();
        keepsItsInvariants();
    }

    private long clock() {
        return now + offset;
    }

    private void claim(KeyStep.DoClaim step) {
        long id = waiters.size() + grants.size() * 1000L;
        long limit = kind == Kind.LOCK ? 1 : step.other() == 0 ? state.limit() : step.other();
        Claim claim = new Claim(KEY, kind, limit, step.seconds(), step.mayQueue());
        String expected = model.claim(id, limit, step.seconds(), step.mayQueue(), now);
        String actual;
        try {
            ClaimOutcome outcome = state.claim(claim, new RulesClaimant(id), clock(), model.limits, this, this);
            actual = switch (outcome) {
                case Held held -> "held " + held.grant().fence();
                case Queued queued -> {
                    waiters.add((Waiter) queued.ticket());
                    yield "queued";
                }
                case Refusal refusal -> refusal.name();
            };
        } catch (StorageException e) {
            assertThat(e.kind()).isEqualTo(FailureKind.FENCE);
            assertThat(e.effect()).isEqualTo(StorageException.Effect.NOT_DONE);
            actual = "no fence";
        }
        assertThat(actual).isEqualTo(expected);
    }

    private void leave(int which) {
        if (!waiters.isEmpty()) {
            Waiter waiter = waiters.get(which % waiters.size());
            boolean expected = model.leave(waiter.claimant().id(), now);
            assertThat(state.leave(waiter, clock())).isEqualTo(expected);
        }
    }

    private void setLimit(int limit) {
        boolean lock = kind == Kind.LOCK;
        assertThat(state.setLimit(limit, clock(), this, this))
                .isEqualTo(lock ? LimitOutcome.NO_SEMAPHORE : LimitOutcome.CHANGED);
        if (!lock) {
            model.setLimit(limit, now);
        }
    }

    private void release(int which) {
        if (!grants.isEmpty()) {
            Token token = grants.get(which % grants.size()).token();
            boolean expected = model.release(token.fence(), now);
            assertThat(state.release(token, clock(), this, this) == ReleaseOutcome.RELEASED)
                    .isEqualTo(expected);
        }
    }

    private void renew(KeyStep.DoRenew step) {
        if (!grants.isEmpty()) {
            Token token = grants.get(step.which() % grants.size()).token();
            String expected = model.renew(token.fence(), step.seconds(), now);
            assertThat(state.renew(token, step.seconds(), clock(), this, this).name())
                    .isEqualTo(expected);
        }
    }

    private void forge(int which) {
        if (!grants.isEmpty()) {
            Holder holder = grants.get(which % grants.size());
            Token forged = new Token(holder.fence(), holder.salt() + 1);
            assertThat(state.release(forged, clock(), this, this)).isEqualTo(ReleaseOutcome.NOT_HELD);
            assertThat(state.renew(forged, 1, clock(), this, this).name()).isEqualTo("NOT_HELD");
        }
    }

    private void expireAll() {
        state.expire(clock(), this, this);
        model.expireAll(now);
    }

    private void expireOne(int which) {
        if (!grants.isEmpty()) {
            Holder holder = grants.get(which % grants.size());
            state.expire(holder, clock(), this, this);
            model.expireOne(holder.fence(), now);
        }
    }

    private void ration(long fences) {
        fencesLeft = fences;
        model.fencesLeft = fences;
    }

    private void isAsTheModelSays() {
        List<Long> fences = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        state.holders(0, Integer.MAX_VALUE).forEach(each -> {
            fences.add(each.fence());
            ends.add(each.leaseEndNanos() - offset);
        });
        List<Long> queue = new ArrayList<>();
        state.waiters(Integer.MAX_VALUE)
                .forEach(each -> queue.add(each.claimant().id()));
        assertThat(fences).isEqualTo(model.fences());
        assertThat(ends).isEqualTo(model.slots.stream().map(NaiveKey.Slot::ends).toList());
        assertThat(queue)
                .isEqualTo(model.places.stream().map(NaiveKey.Place::claimant).toList());
        assertThat(state.waiters(2)).hasSize(Math.min(2, queue.size()));
        for (long fence : fences) {
            assertThat(fencesAfter(fence))
                    .isEqualTo(fences.stream()
                            .filter(each -> each > fence)
                            .limit(2)
                            .toList());
            assertThat(fencesAfter(fence - 1))
                    .isEqualTo(fences.stream()
                            .filter(each -> each >= fence)
                            .limit(2)
                            .toList());
        }
        assertThat(events).isEqualTo(model.events);
        assertThat(state.lastActivity() - offset).isEqualTo(model.lastActivity);
        assertThat(state.holderCount()).isEqualTo(fences.size());
        assertThat(state.waiterCount()).isEqualTo(queue.size());
        assertThat(state.limit()).isEqualTo(model.limit);
        assertThat(state.isIdle()).isEqualTo(fences.isEmpty() && queue.isEmpty());
    }

    private List<Long> fencesAfter(long fence) {
        return state.holders(fence, 2).stream().map(Holder::fence).toList();
    }

    private void keepsItsInvariants() {
        ceiling = Math.max(state.limit(), Math.min(ceiling, state.holderCount()));
        assertThat((long) state.holderCount()).isLessThanOrEqualTo(ceiling);
        boolean slotFree = state.holderCount() < state.limit();
        assertThat(slotFree && state.waiterCount() > 0 && fencesLeft > 0)
                .as("a free slot while somebody waits and fences can be issued")
                .isFalse();
        List<Long> fences = grants.stream().map(Holder::fence).toList();
        assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    @Override
    public long nextFence() {
        if (fencesLeft == 0) {
            return 0;
        }
        fencesLeft--;
        return ++fence;
    }

    @Override
    public long nextSalt() {
        return fence * 31;
    }

    @Override
    public void held(Holder holder) {
        grants.add(holder);
        events.add("held " + holder.claimant().id() + " " + holder.fence());
    }

    @Override
    public void renewed(Holder holder) {
        events.add("renewed " + holder.fence());
    }

    @Override
    public void ended(Holder holder, Ending ending) {
        events.add("ended " + holder.fence() + " " + ending);
    }

    @Override
    public void promoted(Waiter waiter, Holder holder) {
        assertThat(waiter.claimant()).isEqualTo(holder.claimant());
        events.add("promoted " + waiter.claimant().id() + " " + holder.fence());
    }

    @Override
    public void stalled(KeyState key) {
        events.add("stalled");
    }
}
