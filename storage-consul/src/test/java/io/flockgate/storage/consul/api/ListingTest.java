package io.flockgate.storage.consul.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.consul.api.BoundedHttpClient.Listing;
import io.flockgate.storage.consul.kv.KvEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListingTest {
    private static final String ENTRY = """
            {"LockIndex":1,"Key":"%s","Flags":0,"Value":"eA==","Session":"s-1","CreateIndex":2,"ModifyIndex":3}""";

    private static InputStream text(String json) {
        return new ByteArrayInputStream(json.getBytes(UTF_8));
    }

    private static InputStream two() {
        return text("[" + ENTRY.formatted("a") + "," + ENTRY.formatted("b") + "]");
    }

    @Test
    void entriesOfOneSessionShareItsText() throws IOException {
        List<KvEntry> entries = Listing.read(two(), 1_000, List.of()).required();

        assertThat(entries).extracting(KvEntry::key).containsExactly("a", "b");
        assertThat(entries.get(0).session())
                .isEqualTo("s-1")
                .isSameAs(entries.get(1).session());
        assertThat(entries.get(1).value()).asString(UTF_8).isEqualTo("x");
    }

    private static String list(Stream<String> entries) {
        return entries.collect(Collectors.joining(",", "[", "]"));
    }

    private static Stream<String> entries(int count) {
        return IntStream.range(0, count).mapToObj(i -> ENTRY.formatted("%05d".formatted(i)));
    }

    private static List<KvEntry> read(String json, List<KvEntry> known) throws IOException {
        return Listing.read(text(json), 1 << 24, known).required();
    }

    /**
     * The heap would otherwise contain two lists of all keys at the same time, plus the garbage of
     * each second.
     */
    @Test
    void aLongListThatIsReadAgainNeedsMemoryOnlyForWhatHasChanged() throws IOException {
        int count = 50_000;
        List<KvEntry> known = read(list(entries(count)), List.of());
        String changed = ENTRY.formatted("00007").replace("eA==", "eQ==");
        String added = ENTRY.formatted("00009-new");
        Stream<String> next = entries(count)
                .skip(1)
                .map(each -> each.contains("\"00007\"") ? changed : each)
                .flatMap(each -> each.contains("\"00009\"") ? Stream.of(each, added) : Stream.of(each));

        List<KvEntry> fresh = read(list(next), known);

        Set<KvEntry> shared = Collections.newSetFromMap(new IdentityHashMap<>());
        shared.addAll(known);
        assertThat(fresh).hasSize(count);
        assertThat(fresh.stream().filter(each -> !shared.contains(each)))
                .extracting(KvEntry::key)
                .containsExactly("00007", "00009-new");
        assertThat(fresh.get(6).value()).asString(UTF_8).isEqualTo("y");
    }

    @ParameterizedTest
    @CsvSource({
        "LockIndex\":1, LockIndex\":4",
        "Flags\":0, Flags\":4",
        "eA==, eQ==",
        "s-1, s-2",
        "CreateIndex\":2, CreateIndex\":4",
        "ModifyIndex\":3, ModifyIndex\":4"
    })
    void anEntryThatDiffersInAnythingIsNotTakenForAKnownOne(String before, String after) throws IOException {
        String entry = ENTRY.formatted("a");
        List<KvEntry> known = read(list(Stream.of(entry)), List.of());
        assertThat(read(list(Stream.of(entry)), known).getFirst()).isSameAs(known.getFirst());

        KvEntry fresh =
                read(list(Stream.of(entry.replace(before, after))), known).getFirst();

        assertThat(fresh).isNotSameAs(known.getFirst());
    }

    @Test
    void aListWithTooManyBytesFails() {
        assertThatThrownBy(() -> Listing.read(two(), 100, List.of()))
                .isInstanceOf(BoundedHttpClient.AnswerTooLargeException.class);
    }

    @Test
    void aListOfAnotherFormIsMalformed() throws IOException {
        Listing listing = Listing.read(text("[{\"Key\":1}]"), 1_000, List.of());

        assertThat(listing.entries()).isEmpty();
        assertThatThrownBy(listing::required).hasMessageContaining("VALUE_STRING expected");
    }

    /** The connection has failed, so the text received so far proves nothing. */
    @Test
    void aConnectionThatFailsInTheMiddleIsNoMalformedList() {
        InputStream broken = new SequenceInputStream(text("[" + ENTRY.formatted("a")), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("reset");
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                throw new IOException("reset");
            }
        });

        assertThatThrownBy(() -> Listing.read(broken, 1_000, List.of())).hasMessage("reset");
    }
}
