package io.flockgate.storage.consul;

import static io.flockgate.storage.consul.Site.semaphore;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.consul.api.Fault;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.tck.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Other software that holds slots of a key or waits for them, in Consul's own formats. */
@Execution(ExecutionMode.CONCURRENT)
class ForeignSoftwareTest {
    private static final Key JOB = Key.of("job");
    private static final Claim ONE = semaphore("job", 1);
    private static final Claim TWO = semaphore("job", 2);
    private static final String PREFIX = StandIns.BASE + "job/";
    private static final String DOCUMENT = PREFIX + ".lock";

    private final StandIns site = new StandIns();
    private final Gateway gateway = site.gateway();
    private final String foreign = site.consul().createSession("foreign", Duration.ofMinutes(1));
    private final String contender = PREFIX + foreign;

    @AfterEach
    void close() {
        site.close();
    }

    private boolean does(KvOp operation) {
        return site.consul().txn(List.of(operation)).committed() != null;
    }

    private void foreignSessionContends() {
        assertThat(does(new KvOp.Lock(contender, Flags.SEMAPHORE, new byte[0], foreign)))
                .isTrue();
    }

    private void foreignSessionHolds(int limit) {
        foreignSessionContends();
        String document = "{\"Limit\":" + limit + ",\"Holders\":{\"" + foreign + "\":true}}";
        assertThat(does(new KvOp.Set(DOCUMENT, Flags.SEMAPHORE, document.getBytes(UTF_8))))
                .isTrue();
    }

    @Test
    void theSlotsOfOthersCountAndAreFreedByNoTidying() {
        foreignSessionHolds(2);
        Had own = gateway.hold(TWO);
        assertThat(gateway.tryOnce(TWO)).isEqualTo(Refusal.BUSY);
        Queued waiter = gateway.queue(TWO);
        for (byte i = 0; i < 3; i++) {
            gateway.jump(Duration.ofSeconds(2));
            site.consul().put(PREFIX + "stir", 0, new byte[] {i});
            gateway.awaitRead("job");
        }
        assertThat(waiter.granted()).isFalse();
        assertThat(own.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiter.awaitGrant().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(site.document("job")).isEqualTo("{\"Limit\":2,\"Holders\":{\"" + foreign + "\":true}}");
        assertThat(site.consul().get(contender)).isNotNull();
    }

    @Test
    void anOperatorFreesASlotOfOthersByForceOnlyAndItsSessionLives() {
        foreignSessionHolds(1);
        Queued waiter = gateway.queue(ONE);
        assertThat(evict(false)).isEqualTo(EvictOutcome.FOREIGN);
        assertThat(evict(true)).isEqualTo(EvictOutcome.EVICTED);
        Had next = waiter.awaitGrant();
        assertThat(site.document("job")).doesNotContain(foreign);
        assertThat(site.consul().get(contender)).isNull();
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
        foreignSessionContends();
    }

    private EvictOutcome evict(boolean force) {
        long fence = Await.result(gateway.storage().inspect(KeyDetailQuery.first(JOB, 10)))
                .orElseThrow()
                .holders()
                .getFirst()
                .fence();
        return Await.result(gateway.storage().evict(JOB, fence, force));
    }

    /**
     * With a full queue here, the slot would otherwise pass from holder to holder and never be
     * free.
     */
    @Test
    void aForeignContenderFindsTheSlotFreeBetweenTwoLocalHolders() {
        Had first = gateway.hold(ONE);
        Queued second = gateway.queue(ONE);
        foreignSessionContends();
        gateway.awaitRead("job");
        List<List<KvOp>> sent = new CopyOnWriteArrayList<>();
        gateway.api().setFaults(request -> {
            sent.add(request.operations());
            return new Fault.None();
        });
        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Had next = second.awaitGrant();
        // The release left the slot free, and the grant came after it.
        assertThat(sent)
                .noneMatch(each -> each.stream().anyMatch(KvOp.Lock.class::isInstance)
                        && each.stream()
                                .anyMatch(one -> one instanceof KvOp.DeleteCas gone
                                        && !gone.key().contains("/.wait/")));
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
