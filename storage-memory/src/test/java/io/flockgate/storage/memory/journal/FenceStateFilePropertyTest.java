package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.memory.journal.FakeDisk.Fate;
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
        file.append(List.of(new JournalRecord.Ceiling(10)));
        long durable = 10;
        long next = 20;
        for (Step step : steps) {
            disk.fate(step.fate, step.bytesWritten);
            try {
                file.append(List.of(new JournalRecord.Ceiling(next)));
                durable = next;
            } catch (IOException e) {
                assertThat(step.fate).isNotEqualTo(Fate.WRITTEN);
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
}
