package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.memory.journal.FenceStateFile.FenceRecord;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    void ofTwoValidSlotsTheHigherSequenceCounts() {
        byte[] older = Records.slot(3, 300);
        byte[] newer = Records.slot(4, 400);

        assertThat(FenceRecord.newest(Records.join(older, newer))).contains(new FenceRecord(4, 400));
        assertThat(FenceRecord.newest(Records.join(newer, older))).contains(new FenceRecord(4, 400));
    }

    @Test
    void sequencesCompareAsUnsignedNumbers() {
        byte[] file = Records.join(Records.slot(-1, 900), Records.slot(Long.MAX_VALUE - 1, 800));

        assertThat(FenceRecord.newest(file)).contains(new FenceRecord(-1, 900));
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 96})
    void aLongerFileIsNotValid(int length) {
        byte[] content = Arrays.copyOf(Records.join(Records.slot(1, 100), Records.slot(2, 200)), length);

        assertThat(FenceRecord.newest(content)).isEmpty();
    }
}
