package io.flockgate.storage.consul.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.kv.TxnOutcome.Committed;
import io.flockgate.storage.consul.kv.TxnOutcome.Conflict;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The base of the contracts of Consul's API: a client of the implementation under test, and
 * separate keys for each test.
 */
abstract class ConsulApiContract {
    static final long SEMAPHORE = 0xe0f69a2baa414de0L;
    static final Duration LONG = Duration.ofSeconds(15);
    static final Duration SHORT = Duration.ofSeconds(1);

    private static final AtomicInteger COUNT = new AtomicInteger();

    ConsulApi api;
    /** The base of this test alone, ending with a slash. */
    String base;

    /** A client of the Consul under test. */
    abstract ConsulApi connect();

    /** Entries in Consul's log. */
    abstract long raftIndex();

    @BeforeEach
    void open() {
        api = connect();
        base = "contract-" + System.nanoTime() + "-" + COUNT.incrementAndGet() + "/";
    }

    @AfterEach
    void close() {
        api.close();
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @CanIgnoreReturnValue
    Committed done(KvOp... operations) {
        TxnOutcome outcome = api.txn(List.of(operations));
        assertThat(outcome).isInstanceOf(Committed.class);
        return (Committed) outcome;
    }

    @CanIgnoreReturnValue
    List<Obstacle> conflict(KvOp... operations) {
        TxnOutcome outcome = api.txn(List.of(operations));
        assertThat(outcome).isInstanceOf(Conflict.class);
        return ((Conflict) outcome).obstacles();
    }

    /** Creates a key and returns its entry. */
    @CanIgnoreReturnValue
    KvEntry create(String key, String value) {
        done(new KvOp.Cas(key, 0, bytes(value), 0));
        return only(key);
    }

    KvOp set(String key, String value) {
        return new KvOp.Set(key, 0, bytes(value));
    }

    KvEntry only(String key) {
        List<KvEntry> entries =
                read(key).stream().filter(entry -> entry.key().equals(key)).toList();
        assertThat(entries).hasSize(1);
        return entries.getFirst();
    }

    @CanIgnoreReturnValue
    List<KvEntry> read(String prefix) {
        return api.list(prefix, Consistency.DEFAULT).entries();
    }

    List<String> keys(String prefix) {
        return read(prefix).stream().map(KvEntry::key).toList();
    }

    String session() {
        return session(Duration.ofSeconds(10));
    }

    String session(Duration ttl) {
        return api.createSession("contract", ttl);
    }

    static String text(KvEntry entry) {
        return new String(entry.value(), UTF_8);
    }
}
