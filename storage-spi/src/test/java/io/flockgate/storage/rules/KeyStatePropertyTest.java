package io.flockgate.storage.rules;

import io.flockgate.storage.Kind;
import io.flockgate.storage.rules.KeyStep.DoClaim;
import io.flockgate.storage.rules.KeyStep.DoLeave;
import io.flockgate.storage.rules.KeyStep.DoRelease;
import io.flockgate.storage.rules.KeyStep.DoRenew;
import io.flockgate.storage.rules.KeyStep.DoSetLimit;
import io.flockgate.storage.rules.KeyStep.ExpireAll;
import io.flockgate.storage.rules.KeyStep.ExpireOne;
import io.flockgate.storage.rules.KeyStep.Forge;
import io.flockgate.storage.rules.KeyStep.Pass;
import io.flockgate.storage.rules.KeyStep.Ration;
import io.flockgate.storage.rules.KeyStep.Refill;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Whatever happens to a key, in whatever order, it does what the naive model does. */
class KeyStatePropertyTest {
    private static final long SECOND = 1_000_000_000L;

    @Property(tries = 2000)
    void aLockDoesWhatTheModelDoes(
            @ForAll("steps") List<KeyStep> steps,
            @ForAll @IntRange(max = 3) int maxWaiters,
            @ForAll("clocks") long clock) {
        KeyUnderTest key = new KeyUnderTest(Kind.LOCK, 1, new TestLimits(true, maxWaiters), clock);
        steps.forEach(key::take);
    }

    @Property(tries = 2000)
    void aSemaphoreDoesWhatTheModelDoes(
            @ForAll("steps") List<KeyStep> steps,
            @ForAll @IntRange(min = 1, max = 4) int limit,
            @ForAll @IntRange(max = 3) int maxWaiters,
            @ForAll("clocks") long clock) {
        KeyUnderTest key = new KeyUnderTest(Kind.SEMAPHORE, limit, new TestLimits(true, maxWaiters), clock);
        steps.forEach(key::take);
    }

    /** Enough holders that they are not found by walking the list. */
    @Property(tries = 500)
    void aWideSemaphoreDoesWhatTheModelDoes(
            @ForAll("manyClaims") List<KeyStep> steps, @ForAll @IntRange(min = 7, max = 20) int limit) {
        KeyUnderTest key = new KeyUnderTest(Kind.SEMAPHORE, limit, TestLimits.NONE, 0);
        steps.forEach(key::take);
    }

    /** Includes clocks that wrap midway. */
    @Provide
    Arbitrary<Long> clocks() {
        return Arbitraries.of(
                0L, -5 * SECOND, Long.MAX_VALUE, Long.MAX_VALUE - 5 * SECOND, Long.MIN_VALUE, 123_456_789L);
    }

    @Provide
    Arbitrary<List<KeyStep>> steps() {
        return step(6).list().ofMaxSize(60);
    }

    @Provide
    Arbitrary<List<KeyStep>> manyClaims() {
        return step(20).list().ofMaxSize(120);
    }

    private static Arbitrary<KeyStep> step(int claims) {
        Arbitrary<Integer> which = Arbitraries.integers().between(0, 100);
        Arbitrary<Integer> seconds = Arbitraries.integers().between(1, 4);
        return Arbitraries.frequencyOf(
                Tuple.of(
                        claims,
                        Combinators.combine(
                                        Arbitraries.of(0, 0, 0, 0, 1, 3, 9),
                                        seconds,
                                        Arbitraries.of(true, true, true, false))
                                .as(DoClaim::new)),
                Tuple.of(2, which.map(DoLeave::new)),
                Tuple.of(1, Arbitraries.integers().between(1, 5).map(DoSetLimit::new)),
                Tuple.of(4, which.map(DoRelease::new)),
                Tuple.of(2, Combinators.combine(which, seconds).as(DoRenew::new)),
                Tuple.of(1, which.map(Forge::new)),
                Tuple.of(
                        3,
                        Arbitraries.of(1L, SECOND / 2, SECOND - 1, SECOND, 3 * SECOND)
                                .map(Pass::new)),
                Tuple.of(1, Arbitraries.create(ExpireAll::new)),
                Tuple.of(2, which.map(ExpireOne::new)),
                Tuple.of(1, Arbitraries.integers().between(0, 2).map(Ration::new)),
                Tuple.of(2, Arbitraries.create(Refill::new)));
    }
}
