package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.roster.Member;
import io.flockgate.roster.Pause;
import io.flockgate.roster.Roster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A journal whose first frame has no member, and then one more with each frame. */
class ReplayTest {
    private static final int FRAMES = 4;
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.5Z");

    private final List<Map<String, Roster>> states = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();
    private final byte[] journal = journal();

    private byte[] journal() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(Replay.HEADER);
        Map<String, Roster> before = Map.of();
        Map<String, Roster> after = Map.of();
        for (int i = 1; i <= FRAMES; i++) {
            file.writeBytes(new Frame(i, Changes.encode(before, after)).encode());
            states.add(after);
            ends.add(file.size());
            before = after;
            Roster roster = before.getOrDefault("g", Roster.EMPTY);
            after = Map.of("g", roster.with(new Member("m" + i, i, NOW, NOW, "192.0.2.1", "node")));
        }
        return file.toByteArray();
    }

    private int lastFrame() {
        return ends.get(FRAMES - 2);
    }

    private void isCutBeforeTheLastFrame(byte[] torn) throws IOException {
        assertThat(Replay.of(torn)).isEqualTo(new Replay(states.get(FRAMES - 2), FRAMES - 1, lastFrame()));
    }

    @Test
    void aWholeJournalIsReadToItsEnd() throws IOException {
        assertThat(Replay.of(journal)).isEqualTo(new Replay(states.get(FRAMES - 1), FRAMES, journal.length));
        assertThat(states.get(FRAMES - 1).getOrDefault("g", Roster.EMPTY).members())
                .containsOnlyKeys("m1", "m2", "m3");
    }

    @Test
    void theLastFrameMayBeTornAtEachOfItsBytes() throws IOException {
        for (int length = lastFrame(); length < journal.length; length++) {
            byte[] torn = Arrays.copyOf(journal, length);
            isCutBeforeTheLastFrame(torn);
            if (journal[length] != 0) {
                isCutBeforeTheLastFrame(Arrays.copyOf(torn, journal.length));
                isCutBeforeTheLastFrame(Arrays.copyOf(torn, journal.length + 5000));
            }
        }
    }

    @Test
    void theLastFrameMayHaveAWrongBitAnywhere() throws IOException {
        for (int bit = lastFrame() * 8; bit < journal.length * 8; bit++) {
            isCutBeforeTheLastFrame(flipped(bit));
        }
    }

    @Test
    void aWrongBitAnywhereElseIsDamage() {
        for (int bit = 0; bit < lastFrame() * 8; bit++) {
            byte[] damaged = flipped(bit);
            assertThatIOException().as("bit " + bit).isThrownBy(() -> Replay.of(damaged));
        }
    }

    @Test
    void theFirstFrameWasWholeBeforeTheFileGotItsName() {
        for (int length = 0; length < ends.getFirst(); length++) {
            byte[] torn = Arrays.copyOf(journal, length);
            assertThatIOException().as("length " + length).isThrownBy(() -> Replay.of(torn));
        }
    }

    @Test
    void aFrameThatIsMissingInTheMiddleIsDamage() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(journal, 0, ends.get(1));
        file.write(journal, lastFrame(), journal.length - lastFrame());

        assertThatIOException()
                .isThrownBy(() -> Replay.of(file.toByteArray()))
                .withMessageContaining("byte " + ends.get(1));
    }

    @Test
    void changesThatMakeNoSenseAreNotGuessedAt() {
        for (byte[] changes :
                List.of(new byte[] {9, 0, 0, 0, 0}, new byte[] {1, 127, 0, 0, 0}, new byte[] {3, 0, 0, 0, 1})) {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes(Replay.HEADER);
            file.writeBytes(new Frame(1, changes).encode());

            assertThatIOException()
                    .isThrownBy(() -> Replay.of(file.toByteArray()))
                    .withMessageContaining("make no sense");
        }
    }

    @Test
    void aJournalOfAnotherVersionIsToldFromGarbage() {
        byte[] other = "flockgate fleetlock journal 2\n".getBytes(StandardCharsets.US_ASCII);

        assertThatIOException().isThrownBy(() -> Replay.of(other)).withMessageContaining("another version");
        assertThatIOException().isThrownBy(() -> Replay.of(new byte[0])).withMessageContaining("not a journal");
    }

    @Test
    void everyRosterComesBackAsItWas() throws IOException {
        Pause pause = new Pause(NOW.plusNanos(1), "why \u00e4 \ud83d\udd12 \ud800");
        Roster one = Roster.EMPTY.with(new Member("gone", 7, NOW, NOW, "", ""));
        Roster two = Roster.EMPTY.with(new Member("kept", 3, NOW, NOW, "", "n")).paused("x", NOW);
        Roster oneAfter = new Roster(
                Long.MAX_VALUE, Optional.of(pause), one.without("gone").members());
        Roster twoAfter = two.resumed().with(new Member("\ud800", -1, Instant.MIN, Instant.MAX, "x", "n"));
        Map<String, Roster> before = Map.of("a", one, "b", two);
        Map<String, Roster> after = Map.of("a", oneAfter, "b", twoAfter, "c", Roster.EMPTY.paused("", NOW));
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(Replay.HEADER);
        file.writeBytes(new Frame(1, Changes.encode(Map.of(), before)).encode());
        file.writeBytes(new Frame(2, Changes.encode(before, after)).encode());

        assertThat(Replay.of(file.toByteArray()).rosters()).isEqualTo(after);
    }

    private byte[] flipped(int bit) {
        byte[] damaged = journal.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        return damaged;
    }
}
