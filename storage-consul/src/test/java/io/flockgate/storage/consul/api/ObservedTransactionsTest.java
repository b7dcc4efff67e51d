package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reads that an observed agent passes on. */
class ObservedTransactionsTest {
    private final List<List<KvEntry>> given = new ArrayList<>();
    private final ConsulApi observed = new ObservedTransactions(
            new ForwardingConsulApi(new FakeConsul()) {
                @Override
                public KvList watch(String prefix, long index, Duration wait, List<KvEntry> known) {
                    given.add(known);
                    return new KvList(known, index);
                }
            },
            failure -> {});

    /** Otherwise, every read of all keys creates all entries again. */
    @Test
    void aBlockingReadPassesTheKnownEntriesOn() {
        List<KvEntry> known = List.of(new KvEntry("p/a", 0, new byte[0], null, 0, 1, 1));
        KvList answer = observed.watch("p/", 1, Duration.ofSeconds(1), known);
        assertThat(given).singleElement().isSameAs(known);
        assertThat(answer.entries()).isSameAs(known);
    }
}
