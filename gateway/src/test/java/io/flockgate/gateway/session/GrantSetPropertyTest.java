package io.flockgate.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.HeldGrants.GrantSet;
import io.flockgate.gateway.session.ScriptedStorage.FakeGrant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class GrantSetPropertyTest {
    private static final Key KEY = Key.of("k");

    /**
     * Fences with the same lower bits, or identical ones, all hash to one slot and form long runs.
     */
    @Property(tries = 200)
    void itHoldsWhatAHashSetWouldHold(
            @ForAll Random random,
            @ForAll @IntRange(min = 0, max = 600) int steps,
            @ForAll @IntRange(min = 1, max = 200) int most,
            @ForAll @IntRange(min = 0, max = 63) int shift) {
        GrantSet set = new GrantSet();
        Set<Grant> model = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Grant> known = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            if (model.size() < most && random.nextInt(5) < 3) {
                Grant grant = new FakeGrant(KEY, Kind.LOCK, random.nextLong(64) << shift, i);
                known.add(grant);
                model.add(grant);
                set.add(grant);
            } else if (!known.isEmpty()) {
                Grant grant = known.get(random.nextInt(known.size()));
                model.remove(grant);
                set.remove(grant);
            }
            assertThat(set.size()).isEqualTo(model.size());
        }
        List<Grant> all = set.takeAll();
        assertThat(all).hasSameSizeAs(model);
        assertThat(new HashSet<>(all)).isEqualTo(new HashSet<>(model));
        assertThat(set.size()).isZero();
        assertThat(set.takeAll()).isEmpty();
    }

    /** All in one run of the table, they would take ten seconds. */
    @Example
    void aClientCannotChooseGrantsThatFallIntoOneRun() {
        GrantSet set = new GrantSet();
        List<Grant> grants = LongStream.range(0, 160_000)
                .filter(fence -> (((fence * 0x9e3779b97f4a7c15L) >>> 32) & 65535) < 20_000)
                .<Grant>mapToObj(fence -> new FakeGrant(KEY, Kind.LOCK, fence, 0))
                .toList();
        grants.forEach(set::add);
        long begin = System.nanoTime();
        grants.subList(0, 60).forEach(set::remove);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
    }

    @Property(tries = 20)
    void removingAGrantOfTheSameFenceLeavesTheOther(@ForAll long fence) {
        GrantSet set = new GrantSet();
        Grant first = new FakeGrant(KEY, Kind.LOCK, fence, 0);
        Grant second = new FakeGrant(KEY, Kind.LOCK, fence, 1);
        set.add(first);
        set.add(second);
        set.remove(first);
        set.remove(first);
        assertThat(set.takeAll()).containsExactly(second);
    }
}
