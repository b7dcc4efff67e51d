package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.roster.JoinOutcome.Joined;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.storage.memory.roster.FakeRosterDisk.Part;
import io.flockgate.storage.tck.Await;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A data directory with the journal of an earlier version. */
@Timeout(120)
class JournalMigrationTest {
    private static final Map<String, Roster> LAST = OldJournal.states().getLast();

    private final FakeRosterDisk disk = withJournal(OldJournal.bytes());

    private static FakeRosterDisk withJournal(byte[] journal) {
        FakeRosterDisk disk = new FakeRosterDisk();
        disk.put(RosterFile.JOURNAL, journal);
        return disk;
    }

    private static Map<String, Roster> rostersOn(FakeRosterDisk disk) throws IOException {
        try (RosterFile file = RosterFile.open(disk)) {
            return rosters(file);
        }
    }

    private static Map<String, Roster> rosters(RosterFile file) {
        Map<String, Roster> rosters = new HashMap<>();
        file.documents().forEach((group, document) -> rosters.put(group, document.roster()));
        return rosters;
    }

    @Test
    void theJournalIsReadOnceAndReplaced() throws IOException {
        assertThat(rostersOn(disk)).isEqualTo(LAST);

        assertThat(disk.has(RosterFile.JOURNAL)).isFalse();
        assertThat(rostersOn(disk)).isEqualTo(LAST);
        assertThat(rostersOn(disk.powerLost())).isEqualTo(LAST);
    }

    @Test
    void fencesGoOnRising() throws IOException {
        MemoryRosters rosters = Rosters.open(disk);

        assertThat(Await.result(rosters.join("workers", new Newcomer("new", ""), Rosters.AMPLE)))
                .isInstanceOfSatisfying(
                        Joined.class,
                        joined -> assertThat(joined.member().fence()).isEqualTo(4));
        Await.done(rosters.close());
    }

    @Test
    void aTornLastFrameIsLeftOut() throws IOException {
        byte[] journal = OldJournal.bytes();

        assertThat(rostersOn(withJournal(Arrays.copyOf(journal, journal.length - 1))))
                .isEqualTo(OldJournal.states().get(OldJournal.states().size() - 2));
    }

    @ParameterizedTest
    @EnumSource
    void aCrashAtAnyStepLosesNothing(Part part) throws IOException {
        int at = 0;
        for (boolean reached = true; reached; at++) {
            FakeRosterDisk crashing = withJournal(OldJournal.bytes());
            int from = at;
            crashing.failAt(step -> step >= from, part);
            try (RosterFile file = RosterFile.open(crashing)) {
                assertThat(rosters(file)).isEqualTo(LAST);
            }
            reached = crashing.steps() > at;
            for (FakeRosterDisk left :
                    List.of(crashing.killed(), crashing.powerLost(), crashing.powerLostAfterNames())) {
                String when = part + " from step " + at;
                assertThat(rostersOn(left)).as(when).isEqualTo(LAST);
                assertThat(left.has(RosterFile.JOURNAL)).as(when).isFalse();
                assertThat(rostersOn(left.powerLost())).as(when).isEqualTo(LAST);
            }
        }
        assertThat(at).isEqualTo(7);
    }

    @Test
    void aJournalThatIsLeftBehindDoesNotComeBack() throws IOException {
        assertThat(rostersOn(disk)).isEqualTo(LAST);
        MemoryRosters rosters = Rosters.open(disk);
        Await.done(Rosters.join(rosters, "later"));
        Await.done(rosters.close());
        disk.put(RosterFile.JOURNAL, OldJournal.bytes());

        assertThat(rostersOn(disk)).containsKey(Rosters.GROUP);
        assertThat(disk.has(RosterFile.JOURNAL)).isFalse();
    }

    @Test
    void aDamagedJournalIsRefusedAndLeftAsItIs() {
        byte[] damaged = OldJournal.bytes();
        int firstFrame = OldJournal.HEADER + OldJournal.FRAME_HEAD;
        damaged[firstFrame + OldJournal.FRAME_HEAD + 5] ^= 1;
        FakeRosterDisk left = withJournal(damaged);

        assertThatIOException()
                .isThrownBy(() -> RosterFile.open(left))
                .withMessageContaining(RosterFile.JOURNAL)
                .withMessageContaining("fake")
                .withMessageContaining("byte " + firstFrame)
                .withMessageContaining("move it away");
        assertThat(left.content(RosterFile.JOURNAL)).isEqualTo(damaged);
        assertThat(left.steps()).isZero();
        assertThat(left.closes()).isEqualTo(1);
    }

    @Test
    void documentsBeginWithTheFirstRevision() throws IOException {
        try (RosterFile file = RosterFile.open(disk)) {
            assertThat(file.documents().values())
                    .extracting(RosterDocument::revision)
                    .containsOnly(1L);
        }
    }
}
