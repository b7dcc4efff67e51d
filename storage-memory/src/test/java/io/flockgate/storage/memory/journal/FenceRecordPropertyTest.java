package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.memory.journal.FenceStateFile.FenceRecord;
import java.util.Arrays;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class FenceRecordPropertyTest {
    @Property
    void anyBytesAreReadWithoutAnException(
            @ForAll @Size(max = 100) byte[] bytes, @ForAll @IntRange(max = 100) int from) {
        assertThat(FenceRecord.decode(bytes, Math.min(from, bytes.length))).isEmpty();
        assertThat(FenceRecord.newest(bytes).isPresent()).isEqualTo(bytes.length == 0 || bytes.length == 8);
    }

    @Property
    void whatIsWrittenIsRead(@ForAll long sequence, @ForAll long ceiling, @ForAll @IntRange(max = 40) int at) {
        FenceRecord fence = new FenceRecord(sequence == 0 ? 1 : sequence, ceiling);
        byte[] bytes = new byte[at + FenceRecord.SIZE];
        System.arraycopy(fence.encode(), 0, bytes, at, FenceRecord.SIZE);

        assertThat(FenceRecord.decode(bytes, at)).contains(fence);
    }

    @Property
    void aFlippedBitInTheOnlyRecordIsRejected(
            @ForAll @LongRange(min = 1) long sequence, @ForAll long ceiling, @ForAll @IntRange(max = 255) int bit) {
        assertThat(FenceRecord.newest(Records.flipBit(Records.slot(sequence, ceiling), bit)))
                .isEmpty();
    }

    @Property
    void aFlippedBitInOneOfTwoRecordsLeavesTheOther(
            @ForAll @LongRange(min = 1, max = Long.MAX_VALUE - 1) long sequence,
            @ForAll long older,
            @ForAll long newer,
            @ForAll @IntRange(max = 511) int bit) {
        byte[] file = Records.join(Records.slot(sequence, older), Records.slot(sequence + 1, newer));
        FenceRecord left = bit < 256 ? new FenceRecord(sequence + 1, newer) : new FenceRecord(sequence, older);

        assertThat(FenceRecord.newest(Records.flipBit(file, bit))).contains(left);
    }

    @Property
    void aCutFileGivesOneOfItsRecordsOrNone(@ForAll @IntRange(max = 64) int length) {
        byte[] file = Records.join(Records.slot(1, 100), Records.slot(2, 200));
        Optional<FenceRecord> found = FenceRecord.newest(Arrays.copyOf(file, length));

        if (length == 64) {
            assertThat(found).contains(new FenceRecord(2, 200));
        } else if (length >= 32) {
            assertThat(found).contains(new FenceRecord(1, 100));
        } else if (length != 0 && length != 8) {
            assertThat(found).isEmpty();
        }
    }
}
