package io.flockgate.storage.memory.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.flockgate.storage.memory.file.FakeDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class FramesPropertyTest {
    /** A file, and the end of each of its parts: head, snapshot, and frames. */
    private static final class File {
        private final byte[] bytes;
        private final List<byte[]> records;
        private final List<Integer> ends;

        private File(byte[] bytes, List<byte[]> records, List<Integer> ends) {
            this.bytes = bytes;
            this.records = records;
            this.ends = ends;
        }

        static File of(List<List<byte[]>> snapshot, List<List<byte[]>> appended) throws IOException {
            Frames frames = Frames.random();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            List<byte[]> records = new ArrayList<>();
            out.write(frames.head());
            for (List<byte[]> frame : snapshot) {
                out.write(frames.frame(frame));
                records.addAll(frame);
            }
            out.write(frames.frame(List.of()));
            List<Integer> ends = new ArrayList<>(List.of(out.size()));
            for (List<byte[]> frame : appended) {
                out.write(frames.frame(frame));
                records.addAll(frame);
                ends.add(out.size());
            }
            return new File(out.toByteArray(), records, ends);
        }

        int snapshotEnd() {
            return ends.getFirst();
        }

        int lastFrame() {
            return ends.size() < 2 ? snapshotEnd() : ends.get(ends.size() - 2);
        }
    }

    /**
     * @param length the number of bytes up to the end of the last intact frame
     */
    private record Content(List<byte[]> records, int length) {}

    private static Content read(byte[] file) throws IOException {
        List<byte[]> records = new ArrayList<>();
        return new Content(records, (int) Frames.read(FakeDirectory.content(file), records::add));
    }

    @Provide
    Arbitrary<List<List<byte[]>>> frames() {
        Arbitrary<byte[]> record = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        return record.list().ofMinSize(1).ofMaxSize(4).list().ofMaxSize(5);
    }

    @Property(tries = 200)
    void comesBackAsItWas(@ForAll("frames") List<List<byte[]>> snapshot, @ForAll("frames") List<List<byte[]>> appended)
            throws IOException {
        File file = File.of(snapshot, appended);

        Content content = read(file.bytes);

        assertThat(content.records().toArray(byte[][]::new)).isDeepEqualTo(file.records.toArray(byte[][]::new));
        assertThat(content.length()).isEqualTo(file.bytes.length);
    }

    @Property(tries = 100)
    void anEndThatIsCutOffLosesTheLastFramesAndNothingElse(
            @ForAll("frames") List<List<byte[]>> snapshot, @ForAll("frames") List<List<byte[]>> appended)
            throws IOException {
        File file = File.of(snapshot, appended);
        for (int length = 0; length < file.bytes.length; length++) {
            byte[] cut = Arrays.copyOf(file.bytes, length);
            if (length < file.snapshotEnd()) {
                assertThatIOException().isThrownBy(() -> read(cut));
            } else {
                int left = length;
                int whole = file.ends.stream()
                        .filter(end -> end <= left)
                        .max(Integer::compare)
                        .orElseThrow();
                assertThat(read(cut).length()).isEqualTo(whole);
            }
        }
    }

    /** No client knows the file's marker. Keys may contain the frames of another file. */
    @Property(tries = 100)
    void noRecordLooksLikeAFrame(@ForAll("frames") List<List<byte[]>> frames) throws IOException {
        File other = File.of(frames, frames);
        File file = File.of(List.of(), List.of(List.of(other.bytes), List.of(other.bytes)));
        byte[] torn = Arrays.copyOf(file.bytes, file.bytes.length - 1);

        assertThat(read(torn).length()).isEqualTo(file.lastFrame());
    }

    @Property(tries = 300)
    void aWrongBitIsDamageUnlessItIsInTheLastFrame(
            @ForAll("frames") List<List<byte[]>> snapshot,
            @ForAll("frames") List<List<byte[]>> appended,
            @ForAll @IntRange(max = Integer.MAX_VALUE) int where)
            throws IOException {
        File file = File.of(snapshot, appended);
        byte[] damaged = file.bytes.clone();
        int bit = where % (damaged.length * 8);
        damaged[bit / 8] ^= (byte) (1 << bit % 8);

        if (bit / 8 < file.lastFrame()) {
            assertThatIOException().isThrownBy(() -> read(damaged)).withMessageContaining("");
        } else {
            assertThat(read(damaged).length()).isEqualTo(file.lastFrame());
        }
    }

    @Property(tries = 200)
    void anyInputIsReadOrRefused(@ForAll byte[] tail, @ForAll("frames") List<List<byte[]>> snapshot)
            throws IOException {
        File file = File.of(snapshot, List.of());
        byte[] longer = Arrays.copyOf(file.bytes, file.bytes.length + tail.length);
        System.arraycopy(tail, 0, longer, file.bytes.length, tail.length);

        assertThat(read(longer).length()).isEqualTo(file.bytes.length);
        assertThatIOException().isThrownBy(() -> read(tail));
    }
}
