package io.flockgate.storage.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.StandIns.Gateway;
import io.flockgate.storage.consul.StandIns.Queued;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.tck.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What two gateways of an older build wrote to a real Consul 1.8.7, byte by byte: {@code older-documents.json}. Their sessions live,
 * and a gateway of this build starts beside them. The build that wrote it knew format 1, no version in marks, and {@code ~} in names.
 */
@Execution(ExecutionMode.CONCURRENT)
class OlderDocumentsTest {
    private static final Key LOCK = Key.of("a/b:c");
    private static final Claim POOL = Site.semaphore("pool", 2);

    private final StandIns site = new StandIns();
    private final Map<String, String> sessions = new HashMap<>();
    private JsonObject recorded = new JsonObject();

    @BeforeEach
    void replay() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(OlderDocumentsTest.class.getResourceAsStream("/older-documents.json"))) {
            recorded = new JsonObject(new String(in.readAllBytes(), UTF_8));
        }
        recorded.getJsonArray("entries").forEach(entry -> sessionOf((JsonObject) entry));
        recorded.getJsonArray("entries").forEach(entry -> write((JsonObject) entry));
    }

    @AfterEach
    void close() {
        site.close();
    }

    private void sessionOf(JsonObject entry) {
        String session = entry.getString("session");
        if (session != null) {
            sessions.computeIfAbsent(
                    session, absent -> site.consul().createSession(new SessionSpec("older", Duration.ofMinutes(10))));
        }
    }

    private void write(JsonObject entry) {
        String name = here(entry.getString("key"));
        long flags = Long.parseUnsignedLong(entry.getString("flags"));
        byte[] value = here(entry.getString("value")).getBytes(UTF_8);
        String session = entry.getString("session");
        KvOp write =
                session == null ? new KvOp.Set(name, flags, value) : new KvOp.Lock(name, flags, value, here(session));
        assertThat(site.consul().txn(List.of(write))).isInstanceOf(TxnOutcome.Committed.class);
    }

    /** The text with the sessions and the base of this test. */
    private String here(String text) {
        String replaced = text.replaceFirst("^flockgate/", StandIns.BASE);
        for (Map.Entry<String, String> each : sessions.entrySet()) {
            replaced = replaced.replace(each.getKey(), each.getValue());
        }
        return replaced;
    }

    /** The token that the client of the older gateway had, with the fence of the replayed grant. */
    private Token token(String key, long fence) {
        String token = recorded.getJsonObject("tokens").getString(key);
        return new Token(fence, Long.parseUnsignedLong(token.substring(16), 16));
    }

    private KvEntry entry(String name) {
        return Objects.requireNonNull(site.consul().get(StandIns.BASE + name));
    }

    @Test
    void whatIsHeldExcludes() {
        Gateway gateway = site.gateway();
        assertThat(gateway.tryOnce(Site.lock("a/b:c"))).isEqualTo(Refusal.BUSY);
        assertThat(gateway.tryOnce(Site.lock("short"))).isEqualTo(Refusal.BUSY);
        assertThat(gateway.tryOnce(POOL)).isEqualTo(Refusal.BUSY);
        assertThat(gateway.tryOnce(Site.lock("pool"))).isEqualTo(Refusal.KIND_MISMATCH);
        assertThat(gateway.tryOnce(Site.semaphore("idle-pool", 2))).isEqualTo(Refusal.LIMIT_MISMATCH);
        assertThat(gateway.hold(Site.semaphore("idle-pool", 3)).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(gateway.hold(Site.lock("idle")).release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void whoWaitsComesFirst() {
        Gateway gateway = site.gateway(600);
        KeyDetail detail = Await.result(gateway.storage().inspect(new KeyDetailQuery(LOCK, 0, 10)))
                .orElseThrow();
        assertThat(detail.waiters()).hasSize(2);
        Queued waiting = gateway.queue(Site.lock("a/b:c"));
        long fence = entry("a~2fb~3ac/.lock").modifyIndex();
        assertThat(Await.result(gateway.storage().release(LOCK, token("a/b:c", fence))))
                .isEqualTo(ReleaseOutcome.RELEASED);
        gateway.awaitRead("a~2fb~3ac");
        assertThat(waiting.granted()).isFalse();
        assertThat(site.tickets("a~2fb~3ac")).hasSize(3);
        sessions.values().forEach(site.consul()::endSession);
        assertThat(waiting.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aGrantIsRenewedAndReleasedByItsToken() {
        Gateway gateway = site.gateway();
        Token token = token("short", 0x15);
        assertThat(Await.result(gateway.storage().renew(Key.of("short"), token, 15)))
                .isEqualTo(RenewOutcome.RENEWED);
        assertThat(new JsonObject(new String(entry("short/.lock").value(), UTF_8)).getMap())
                .doesNotContainEntry("gw", "old-b~3a1-40972f92")
                .containsEntry("seq", 2)
                .containsEntry("fence", 0x15);
        assertThat(Await.result(gateway.storage().release(Key.of("short"), token)))
                .isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void aSlotIsReleasedByItsTokenAndTheOtherStaysHeld() {
        Gateway gateway = site.gateway();
        String first = here("be369222-4e10-5546-9a4a-e9f3214bf1de");
        long fence = entry("pool/" + first).modifyIndex();
        assertThat(Await.result(gateway.storage().release(Key.of("pool"), token("pool-1", fence))))
                .isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.held("pool")).hasSize(1);
        assertThat(gateway.tryOnce(POOL)).isEqualTo(Refusal.BUSY);
    }

    /** All older gateways have to agree with the record still. */
    @Test
    void theRecordStaysAsItIs() {
        KvEntry before = entry(".flockgate");
        Gateway gateway = site.gateway();
        assertThat(gateway.storage().failureReason()).isEmpty();
        assertThat(entry(".flockgate").modifyIndex()).isEqualTo(before.modifyIndex());
    }
}
