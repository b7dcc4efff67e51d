package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyFilter.ClientFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class FilterCases extends StorageCases {
    /** A storage in real time may take seconds for a few calls on a busy machine. */
    private static final int SECONDS = 5;

    private static final Key LOCK = Key.of("lock");
    private static final Key WANTED_LOCK = Key.of("wanted-lock");
    private static final Key POOL = Key.of("pool");
    private static final Key IDLE_LOCK = Key.of("idle-lock");

    /**
     * A held lock, a held lock with a waiter, a semaphore with two holders, and a lock that is not
     * held.
     */
    private List<RecordingClaimant> scene() {
        HeldGrant lock = hold(TestClaims.lock(LOCK));
        HeldGrant wanted = hold(TestClaims.lock(WANTED_LOCK));
        QueuedClaim waiter = queue(TestClaims.lock(WANTED_LOCK));
        HeldGrant first = hold(TestClaims.semaphore(POOL, 2));
        HeldGrant second = hold(TestClaims.semaphore(POOL, 2));
        release(hold(TestClaims.lock(IDLE_LOCK)));
        return List.of(lock.claimant(), wanted.claimant(), waiter.claimant(), first.claimant(), second.claimant());
    }

    private static KeyFilter filter(@Nullable Kind kind, @Nullable Boolean held, @Nullable Boolean waiting) {
        return new KeyFilter(kind, held, waiting, 0, 0, null);
    }

    private List<Key> found(KeyFilter filter) {
        return found(storage(), filter, 1);
    }

    private static List<Key> found(LockStorage gateway, KeyFilter filter, int size) {
        return list(gateway, new byte[0], filter, size);
    }

    @Test
    @DisplayName("by kind, and by whether they are held and waited for")
    void byState() {
        List<RecordingClaimant> unused = scene();

        assertThat(found(KeyFilter.NONE)).containsExactlyInAnyOrder(LOCK, WANTED_LOCK, POOL, IDLE_LOCK);
        assertThat(found(filter(Kind.LOCK, null, null))).containsExactlyInAnyOrder(LOCK, WANTED_LOCK, IDLE_LOCK);
        assertThat(found(filter(Kind.SEMAPHORE, null, null))).containsExactly(POOL);
        assertThat(found(filter(null, true, null))).containsExactlyInAnyOrder(LOCK, WANTED_LOCK, POOL);
        assertThat(found(filter(null, false, null))).containsExactly(IDLE_LOCK);
        assertThat(found(KeyFilter.WAITED_FOR)).containsExactly(WANTED_LOCK);
        assertThat(found(filter(null, null, false))).containsExactlyInAnyOrder(LOCK, POOL, IDLE_LOCK);
        assertThat(found(filter(Kind.SEMAPHORE, null, true))).isEmpty();
        assertThat(found(peer(), filter(Kind.LOCK, true, false), 10)).containsExactly(LOCK);
    }

    @Test
    @DisplayName("by the age of their oldest grant, and by the wait of their first waiter")
    void byAgeAndWait() {
        hold(TestClaims.lock(LOCK));
        hold(TestClaims.lock(WANTED_LOCK));
        queue(TestClaims.lock(WANTED_LOCK));
        release(hold(TestClaims.lock(IDLE_LOCK)));
        passSeconds(SECONDS);
        hold(TestClaims.lock(POOL));
        queue(TestClaims.lock(WANTED_LOCK));
        queue(TestClaims.lock(LOCK));
        long least = Duration.ofSeconds(SECONDS - 1).toNanos();

        assertThat(found(ages(least, 0))).containsExactlyInAnyOrder(LOCK, WANTED_LOCK);
        assertThat(found(ages(100 * least, 0))).isEmpty();
        assertThat(found(ages(0, least))).containsExactly(WANTED_LOCK);
        assertThat(found(ages(0, 100 * least))).isEmpty();
    }

    private static KeyFilter ages(long minHeldNanos, long minWaitedNanos) {
        return new KeyFilter(null, null, null, minHeldNanos, minWaitedNanos, null);
    }

    @Test
    @DisplayName("by the name and the address of a client that holds them or waits for them")
    void byClient() {
        List<RecordingClaimant> clients = scene();
        List<Key> keys = List.of(LOCK, WANTED_LOCK, WANTED_LOCK, POOL, POOL);

        for (LockStorage gateway : List.of(storage(), peer())) {
            for (int i = 0; i < clients.size(); i++) {
                ClientDescription client = clients.get(i).description();
                assertThat(found(gateway, client(client.name(), null, null), 1)).containsExactly(keys.get(i));
                assertThat(found(gateway, client(null, client.address(), null), 10))
                        .containsExactly(keys.get(i));
                assertThat(found(gateway, client(client.name(), client.address(), null), 10))
                        .containsExactly(keys.get(i));
                assertThat(found(gateway, client(client.name(), "192.0.2.8", null), 10))
                        .isEmpty();
            }
            assertThat(found(gateway, client(null, "192.0.2.7", null), 2))
                    .containsExactlyInAnyOrder(LOCK, WANTED_LOCK, POOL);
            assertThat(found(gateway, client("nobody", null, null), 2)).isEmpty();
        }
    }

    private static KeyFilter client(@Nullable String name, @Nullable String address, @Nullable String gateway) {
        return new KeyFilter(null, null, null, 0, 0, new ClientFilter(name, address, gateway));
    }

    @Test
    @DisplayName("by the gateway of a client")
    void byGateway() {
        List<RecordingClaimant> unused = scene();
        ClientView holder = detail(LOCK).orElseThrow().holders().getFirst().client();
        String gateway = Objects.requireNonNull(holder.gateway());

        for (LockStorage each : List.of(storage(), peer())) {
            assertThat(found(each, client(null, null, gateway), 10)).containsExactlyInAnyOrder(LOCK, WANTED_LOCK, POOL);
            assertThat(found(each, client(null, null, gateway + "x"), 10)).isEmpty();
        }
    }

    @Test
    @DisplayName("with some of their holders and waiters, if asked")
    void withDetails() {
        List<RecordingClaimant> clients = scene();
        QueuedClaim behind = queue(TestClaims.lock(WANTED_LOCK));

        KeyPage page =
                Await.result(storage().inspect(new KeyQuery(new byte[0], null, 1000, filter(null, true, null), 1)));

        assertThat(page.details())
                .extracting(each -> each.summary().key())
                .containsExactlyElementsOf(
                        page.keys().stream().map(KeySummary::key).toList());
        KeyDetail wanted = page.details().stream()
                .filter(each -> each.summary().key().equals(WANTED_LOCK))
                .findFirst()
                .orElseThrow();
        assertThat(wanted.holders())
                .extracting(each -> each.client().id())
                .containsExactly(clients.get(1).id());
        assertThat(wanted.waiters())
                .extracting(each -> each.client().id())
                .containsExactly(clients.get(2).id());
        assertThat(wanted.summary().waiters()).isEqualTo(2);
        assertThat(behind.granted()).isFalse();
    }

    @Test
    @DisplayName("and show a place by the same name as long as it lasts, and another place by another")
    void placesHaveNames() {
        hold(TestClaims.lock(KEY));
        QueuedClaim first = queue(TestClaims.lock(KEY));
        String before = place();
        passSeconds(1);
        assertThat(place()).isEqualTo(before);
        assertThat(leave(first)).isEqualTo(LeaveOutcome.LEFT);
        queue(storage(), TestClaims.lock(KEY), first.claimant());
        assertThat(place()).isNotEqualTo(before);
    }

    private String place() {
        return detail(KEY).orElseThrow().waiters().getFirst().id();
    }
}
