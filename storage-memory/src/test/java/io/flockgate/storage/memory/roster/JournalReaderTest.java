package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.roster.Roster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class JournalReaderTest {
    private final byte[] journal = OldJournal.bytes();
    private final List<Integer> ends = OldJournal.ends();
    private final List<Map<String, Roster>> states = OldJournal.states();
    private final int lastFrame = ends.get(ends.size() - 2);

    private void isReadUpToTheLastFrame(byte[] torn) throws IOException {
        assertThat(JournalReader.read(torn))
                .isEqualTo(new JournalReader.Content(states.get(states.size() - 2), lastFrame));
    }

    @Test
    void everyFrameLeavesTheRostersThatWereWritten() throws IOException {
        assertThat(ends).hasSameSizeAs(states).last().isEqualTo(journal.length);
        for (int i = 0; i < states.size(); i++) {
            assertThat(JournalReader.read(Arrays.copyOf(journal, ends.get(i))))
                    .isEqualTo(new JournalReader.Content(states.get(i), ends.get(i)));
        }
    }

    @Test
    void theLastFrameMayBeTornAtEachOfItsBytes() throws IOException {
        for (int length = lastFrame; length < journal.length; length++) {
            byte[] torn = Arrays.copyOf(journal, length);
            isReadUpToTheLastFrame(torn);
            if (journal[length] != 0) {
                isReadUpToTheLastFrame(Arrays.copyOf(torn, journal.length));
                isReadUpToTheLastFrame(Arrays.copyOf(torn, journal.length + 5000));
            }
        }
    }

    @Test
    void theLastFrameMayHaveAWrongBitAnywhere() throws IOException {
        for (int bit = lastFrame * 8; bit < journal.length * 8; bit++) {
            isReadUpToTheLastFrame(flipped(bit));
        }
    }

    @Test
    void aWrongBitAnywhereElseIsDamage() {
        for (int bit = 0; bit < lastFrame * 8; bit++) {
            byte[] damaged = flipped(bit);
            assertThatIOException().as("bit " + bit).isThrownBy(() -> JournalReader.read(damaged));
        }
    }

    @Test
    void theFirstFrameWasWholeBeforeTheFileGotItsName() {
        for (int length = 0; length < ends.getFirst(); length++) {
            byte[] torn = Arrays.copyOf(journal, length);
            assertThatIOException().as("length " + length).isThrownBy(() -> JournalReader.read(torn));
        }
    }

    @Test
    void aFrameThatIsMissingInTheMiddleIsDamage() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.write(journal, 0, ends.get(1));
        file.write(journal, lastFrame, journal.length - lastFrame);

        assertThatIOException()
                .isThrownBy(() -> JournalReader.read(file.toByteArray()))
                .withMessageContaining("byte " + ends.get(1));
    }

    @Test
    void changesThatMakeNoSenseAreNotGuessedAt() {
        for (byte[] changes :
                List.of(new byte[] {9, 0, 0, 0, 0}, new byte[] {1, 127, 0, 0, 0}, new byte[] {3, 0, 0, 0, 1})) {
            assertThatIOException()
                    .isThrownBy(() -> JournalReader.read(oneFrame(changes)))
                    .withMessageContaining("make no sense");
        }
    }

    private byte[] oneFrame(byte[] changes) {
        ByteBuffer covered = ByteBuffer.allocate(12 + changes.length)
                .putInt(changes.length)
                .putLong(1)
                .put(changes);
        CRC32C crc = new CRC32C();
        crc.update(covered.array());
        return ByteBuffer.allocate(OldJournal.HEADER + OldJournal.FRAME_HEAD + changes.length)
                .put(journal, 0, OldJournal.HEADER + Integer.BYTES)
                .put(covered.array(), 0, 12)
                .putInt((int) crc.getValue())
                .put(changes)
                .array();
    }

    @Test
    void aJournalOfAnotherVersionIsRefused() {
        byte[] other = "flockgate fleetlock journal 2\n".getBytes(StandardCharsets.US_ASCII);

        for (byte[] each : List.of(other, new byte[0])) {
            assertThatIOException()
                    .isThrownBy(() -> JournalReader.read(each))
                    .withMessageContaining("not a journal of version 1");
        }
    }

    private byte[] flipped(int bit) {
        byte[] damaged = journal.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        return damaged;
    }
}
