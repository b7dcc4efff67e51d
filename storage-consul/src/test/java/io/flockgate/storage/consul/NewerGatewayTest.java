package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Had;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.testsupport.Polling;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Data that a gateway of a later version may write: fields, versions and kinds that this version
 * does not know.
 */
@Execution(ExecutionMode.CONCURRENT)
class NewerGatewayTest {
    private static final String LOCK = StandIns.BASE + "job/.lock";

    private final StandIns site = new StandIns();
    private final String session = site.consul().createSession("newer", Duration.ofMinutes(10));

    @AfterEach
    void close() {
        site.close();
    }

    private KvEntry write(String name, long flags, String value) {
        KvOp lock = new KvOp.Lock(name, flags, value.getBytes(UTF_8), session);
        assertThat(site.consul().txn(List.of(lock))).isInstanceOf(TxnOutcome.Committed.class);
        return Objects.requireNonNull(site.consul().get(name));
    }

    private String value(String name) {
        return new String(Objects.requireNonNull(site.consul().get(name)).value(), UTF_8);
    }

    /**
     * Adds a field to the mark of a holder, as a newer gateway would have written it with the
     * grant.
     */
    private void addField(Had had) {
        // The first renewal by a write keeps the fence in the mark, so that another write does not
        // change it.
        assertThat(had.renew(5)).isEqualTo(RenewOutcome.RENEWED);
        KvEntry held = Objects.requireNonNull(site.consul().get(LOCK));
        String newer = new String(held.value(), UTF_8).replaceFirst("\\}$", ",\"later\":[1]}");
        KvOp write = new KvOp.Cas(LOCK, held.flags(), newer.getBytes(UTF_8), held.modifyIndex());
        assertThat(site.consul().txn(List.of(write))).isInstanceOf(TxnOutcome.Committed.class);
    }

    @Test
    void aRenewalThroughAnotherGatewayKeepsUnknownFields() {
        Gateway newer = site.gateway();
        Had had = newer.hold(Site.lock("job"));
        addField(had);
        Gateway older = site.gateway();
        assertThat(older.renew(had, 5)).isEqualTo(RenewOutcome.RENEWED);
        assertThat(value(LOCK)).contains("\"later\":[1]");
        assertThat(older.release(had)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aLockWithAMarkOfALaterVersionIsHeldAndLeftAlone() {
        KvEntry held = write(
                LOCK,
                Flags.MUTEX,
                "{\"v\":2,\"gw\":\"newer-1\",\"nonce\":\"n\",\"lease_ms\":1000,\"seq\":0,\"tok\":\"t\"}");
        staysHeld(held, Site.lock("job"));
    }

    @Test
    void aSlotWithAMarkOfALaterVersionIsHeldAndLeftAlone() {
        String contender = StandIns.BASE + "job/" + session;
        KvEntry held = write(contender, Flags.SEMAPHORE, "{\"v\":2,\"shared\":true,\"lease_ms\":1000}");
        site.consul().put(LOCK, Flags.SEMAPHORE, ("{\"Limit\":1,\"Holders\":[\"" + session + "\"]}").getBytes(UTF_8));
        staysHeld(held, Site.semaphore("job", 1));
    }

    /** Checks that no gateway considers the grant ended, although its lease would have expired. */
    private void staysHeld(KvEntry held, Claim claim) {
        Gateway gateway = site.gateway(600);
        assertThat(gateway.tryOnce(claim)).isEqualTo(Refusal.BUSY);
        Queued waiting = gateway.queue(claim);
        gateway.jump(Duration.ofSeconds(30));
        gateway.wake(claim);
        gateway.awaitRest(0);
        assertThat(waiting.granted()).isFalse();
        KvEntry now = Objects.requireNonNull(site.consul().get(held.key()));
        assertThat(now.modifyIndex()).isEqualTo(held.modifyIndex());
        assertThat(Arrays.equals(now.value(), held.value())).isTrue();
        site.consul().endSession(session);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** It does not count as a waiter for a semaphore, as it would if its kind were guessed. */
    @Test
    void aTicketOfAnUnknownKindIsNeitherEvictedNorServedNorCounted() {
        String name = StandIns.BASE + "job/.wait/newer-000000000001";
        KvEntry ticket = write(name, Flags.NONE, "{\"gw\":\"newer-1\",\"kind\":\"shared\",\"limit\":1,\"touches\":0}");
        Gateway gateway = site.gateway(600);
        Claim claim = Site.semaphore("job", 1);
        Had had = gateway.hold(claim);
        Queued waiting = gateway.queue(claim);
        gateway.jump(Duration.ofSeconds(30));
        gateway.wake(claim);
        assertThat(had.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        KvEntry now = Objects.requireNonNull(site.consul().get(name));
        assertThat(now.modifyIndex()).isEqualTo(ticket.modifyIndex());
    }

    /**
     * A gateway of the previous version reads the record, and writes it when it loses its session.
     */
    @Test
    void unknownFieldsOfTheRecordAreKept() {
        String record = StandIns.BASE + ".flockgate";
        Gateway first = site.gateway();
        first.close();
        String newer = value(record).replaceFirst("\\}$", ",\"later\":{\"a\":1}}");
        site.consul().put(record, Flags.NONE, newer.getBytes(UTF_8));
        Gateway gateway = site.gateway();
        assertThat(gateway.hold(Site.lock("job")).release()).isEqualTo(ReleaseOutcome.RELEASED);
        site.consul().sessions().forEach(site.consul()::endSession);
        gateway.jump(Duration.ofMinutes(10));
        Polling.until("the record is written", () -> value(record).contains("\"checks\":1"));
        assertThat(value(record)).contains("\"later\":{\"a\":1}");
    }
}
