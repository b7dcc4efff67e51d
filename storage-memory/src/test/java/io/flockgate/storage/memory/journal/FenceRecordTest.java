package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.memory.journal.FenceStateFile.FenceRecord;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FenceRecordTest {
    @Test
    void theChecksumOfTheCheckTextIsThePublishedOne() {
        byte[] text = "x123456789x".getBytes(US_ASCII);

        assertThat(FenceRecord.crc64(text, 1, 9)).isEqualTo(0xb90956c775a41001L);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1048626, 0, 64666c666e63310a000000000000000100000000001000320b6bc9179472929c",
        "2, 1764547200000000000, 32, 64666c666e63310a0000000000000002187cee5455690000fec484579538f8ca"
    })
    void aRecordHasTheBytesAndThePlaceOfTheSpecification(long sequence, long ceiling, int offset, String hex) {
        FenceRecord fence = new FenceRecord(sequence, ceiling);

        assertThat(HexFormat.of().formatHex(fence.encode())).isEqualTo(hex);
        assertThat(FenceRecord.decode(HexFormat.of().parseHex(hex), 0)).contains(fence);
        assertThat(fence.offset()).isEqualTo(offset);
    }

    @Test
    void sequenceZeroIsNoValidRecord() {
        assertThat(FenceRecord.decode(Records.slot(0, 100), 0)).isEmpty();
    }

    @Test
    void sequencesCompareAsUnsignedNumbers() {
        byte[] file = Records.join(Records.slot(-1, 900), Records.slot(Long.MAX_VALUE - 1, 800));

        assertThat(FenceRecord.newest(file)).contains(new FenceRecord(-1, 900));
    }

    @Property
    void anyBytesAreReadWithoutAnException(
            @ForAll @Size(max = 100) byte[] bytes, @ForAll @IntRange(max = 100) int from) {
        assertThat(FenceRecord.decode(bytes, Math.min(from, bytes.length))).isEmpty();
        assertThat(FenceRecord.newest(bytes).isPresent()).isEqualTo(bytes.length == 0 || bytes.length == 8);
    }

    /** ★28 TornLatestRecordFallsBack. */
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

    /** ★28 PartialLatestRecordFallsBack. */
    @Property
    void aFileOfAnotherLengthGivesOneOfItsRecordsOrNone(@ForAll @IntRange(max = 96) int length) {
        byte[] file = Records.join(Records.slot(1, 100), Records.slot(2, 200));
        Optional<FenceRecord> found = FenceRecord.newest(Arrays.copyOf(file, length));

        if (length == 64) {
            assertThat(found).contains(new FenceRecord(2, 200));
        } else if (length >= 32 && length < 64) {
            assertThat(found).contains(new FenceRecord(1, 100));
        } else if (length != 0 && length != 8) {
            assertThat(found).isEmpty();
        }
    }
}
