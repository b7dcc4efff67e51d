package io.flockgate.storage.memory.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Raises that fail at any step, and crashes between them: a ceiling reported as durable is never
 * lost.
 */
class FenceStateFilePropertyTest {
    enum Fate {
        WRITTEN,
        WRITE_TORN,
        SYNC_FAILED
    }

    record Step(Fate fate, int bytesWritten, boolean crash, boolean unsyncedSurvives) {}

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Fate.class),
                        Arbitraries.integers().between(0, 32),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false))
                .as(Step::new);
    }

    @Property
    void theDurableCeilingSurvivesAnyFailureAndCrash(@ForAll List<@From("steps") Step> steps) throws IOException {
        FakeDisk disk = FakeDisk.empty();
        FenceStateFile file = FenceStateFile.open(disk);
        file.raise(10);
        long durable = 10;
        long next = 20;
        for (Step step : steps) {
            if (raise(disk, file, step, next)) {
                durable = next;
            }
            if (step.crash) {
                disk = new FakeDisk(step.unsyncedSurvives ? disk.content() : disk.durable());
                file = FenceStateFile.open(disk);
                assertThat(file.ceiling()).isBetween(durable, next);
                durable = file.ceiling();
            }
            next += 10;
        }
    }

    private static boolean raise(FakeDisk disk, FenceStateFile file, Step step, long ceiling) {
        switch (step.fate) {
            case WRITTEN -> disk.heal();
            case WRITE_TORN -> disk.failWrites(length -> step.bytesWritten);
            case SYNC_FAILED -> disk.failSyncs();
        }
        try {
            file.raise(ceiling);
            return true;
        } catch (IOException e) {
            return false;
        } finally {
            disk.heal();
        }
    }
}
