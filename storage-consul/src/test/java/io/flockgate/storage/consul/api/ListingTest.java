package io.flockgate.storage.consul.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

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
        List<KvEntry> entries = Listing.read(two(), 1_000).required();

        assertThat(entries).extracting(KvEntry::key).containsExactly("a", "b");
        assertThat(entries.get(0).session())
                .isEqualTo("s-1")
                .isSameAs(entries.get(1).session());
        assertThat(entries.get(1).value()).asString(UTF_8).isEqualTo("x");
    }

    @Test
    void aListWithTooManyBytesFails() {
        assertThatThrownBy(() -> Listing.read(two(), 100))
                .isInstanceOf(BoundedHttpClient.AnswerTooLargeException.class);
    }

    @Test
    void aListOfAnotherFormIsMalformed() throws IOException {
        Listing listing = Listing.read(text("[{\"Key\":1}]"), 1_000);

        assertThat(listing.entries()).isEmpty();
        assertThatThrownBy(listing::required).hasMessageContaining("VALUE_NUMBER_INT");
    }

    /** The connection has failed, and the text so far proves nothing. */
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

        assertThatThrownBy(() -> Listing.read(broken, 1_000)).hasMessage("reset");
    }
}
