package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class ViewCases extends StorageCases {
    private static final Claim SEMAPHORE = TestClaims.semaphore(KEY, 2);

    @Test
    @DisplayName("that does not exist is empty, and does not make it")
    void unknown() {
        assertThat(detail(KEY)).isEmpty();
        assertThat(detail(KEY)).isEmpty();
        assertThat(Await.result(storage().inspect(KeyQuery.all(1))).keys()).isEmpty();
    }

    @Test
    @DisplayName("says what it is and how many hold it and wait for it")
    void summary() {
        HeldGrant oldest = hold(SEMAPHORE);
        hold(SEMAPHORE);
        queue(SEMAPHORE);

        KeySummary summary = summary(KEY);
        assertThat(summary.key()).isEqualTo(KEY);
        assertThat(summary.kind()).isEqualTo(Kind.SEMAPHORE);
        assertThat(summary.limit()).isEqualTo(2);
        assertThat(summary.holders()).isEqualTo(2);
        assertThat(summary.waiters()).isEqualTo(1);
        assertThat(summary.ownerId()).isEqualTo(oldest.claimant().id());
        assertThat(summary.idle()).isFalse();
    }

    @Test
    @DisplayName("says the same in a list")
    void sameInAList() {
        hold(SEMAPHORE);
        HeldGrant lock = hold(TestClaims.lasting(100, TestClaims.lock(OTHER_KEY)));

        for (KeySummary listed :
                Await.result(storage().inspect(KeyQuery.all(10))).keys()) {
            KeySummary viewed = summary(listed.key());
            assertThat(listed.kind()).isEqualTo(viewed.kind());
            assertThat(listed.limit()).isEqualTo(viewed.limit());
            assertThat(listed.holders()).isEqualTo(viewed.holders());
            assertThat(listed.ownerId()).isEqualTo(viewed.ownerId());
        }
        assertThat(summary(OTHER_KEY).kind()).isEqualTo(Kind.LOCK);
        assertThat(summary(OTHER_KEY).limit()).isEqualTo(1);
        assertThat(summary(OTHER_KEY).ownerId()).isEqualTo(lock.claimant().id());
    }

    @Test
    @DisplayName("shows holders from the oldest on and waiters from the head on")
    void inOrder() {
        HeldGrant first = hold(SEMAPHORE);
        HeldGrant second = hold(SEMAPHORE);
        QueuedClaim head = queue(SEMAPHORE);
        QueuedClaim next = queue(SEMAPHORE);
        QueuedClaim last = queue(SEMAPHORE);

        showsHolders(first, second);
        showsWaiters(head, next, last);

        release(first);
        HeldGrant third = head.awaitGrant();

        showsHolders(second, third);
        showsWaiters(next, last);
    }

    private void showsHolders(HeldGrant... holdings) {
        List<HolderView> holders = view(KEY).holders();
        assertThat(holders).hasSize(holdings.length);
        for (int i = 0; i < holdings.length; i++) {
            assertThat(holders.get(i).client().id())
                    .isEqualTo(holdings[i].claimant().id());
            assertThat(holders.get(i).fence()).isEqualTo(holdings[i].fence());
        }
    }

    private void showsWaiters(QueuedClaim... places) {
        assertThat(view(KEY).waiters())
                .extracting(each -> each.client().id())
                .containsExactlyElementsOf(List.of(places).stream()
                        .map(each -> each.claimant().id())
                        .toList());
    }

    @Test
    @DisplayName("says what is left of a lease, how long it has been held, and how long a waiter has waited")
    void leaseLeft() {
        hold(TestClaims.lasting(10, TestClaims.lock(KEY)));
        queue(TestClaims.lock(KEY));
        passSeconds(2);

        HolderView holder = view(KEY).holders().getFirst();
        KeySummary summary = summary(KEY);
        for (long left : new long[] {holder.leaseLeftNanos(), summary.leaseLeftNanos()}) {
            assertThat(left).isBetween(seconds(2), seconds(8));
        }
        for (long held : new long[] {holder.heldNanos(), summary.heldNanos()}) {
            assertThat(held).isBetween(seconds(2), seconds(8));
        }
        assertThat(view(KEY).waiters().getFirst().waitedNanos()).isBetween(seconds(2), seconds(10));
    }

    @Test
    @DisplayName("says what is left of a lease after its renewal, which does not change how long it has been held")
    void leaseLeftAfterRenewal() {
        HeldGrant holding = hold(TestClaims.lasting(10, TestClaims.lock(KEY)));
        passSeconds(1);
        renew(holding, 100);

        HolderView holder = view(KEY).holders().getFirst();

        assertThat(holder.leaseLeftNanos()).isBetween(seconds(90), seconds(100));
        assertThat(holder.heldNanos()).isGreaterThanOrEqualTo(seconds(1));
    }

    @Test
    @DisplayName("says of an idle key since when it is idle, and nothing of a holder")
    void idle() {
        release(hold(SEMAPHORE));
        passSeconds(2);

        KeyDetail view = view(KEY);

        assertThat(view.holders()).isEmpty();
        assertThat(view.waiters()).isEmpty();
        assertThat(view.summary().idle()).isTrue();
        assertThat(view.summary().idleNanos()).isBetween(seconds(2), seconds(10));
        assertThat(view.summary().ownerId()).isZero();
        assertThat(view.summary().leaseLeftNanos()).isZero();
        assertThat(view.summary().heldNanos()).isZero();
        assertThat(view.summary().limit()).isEqualTo(2);
    }

    @Test
    @DisplayName("never shows a negative time, even where a lease has ended unnoticed")
    void neverNegative() {
        hold(TestClaims.lasting(1, TestClaims.lock(KEY)));
        harness.passUnnoticed(Duration.ofSeconds(3));

        assertThat(summary(KEY).leaseLeftNanos()).isZero();
        assertThat(view(KEY).holders()).allMatch(each -> each.leaseLeftNanos() == 0);
    }

    @Test
    @DisplayName("never shows a token")
    void neverAToken() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        queue(TestClaims.lock(KEY));

        KeyPage page = Await.result(storage().inspect(KeyQuery.all(10)));
        String shown = view(KEY) + " " + page;

        long salt = holding.grant().salt();
        assertThat(shown).doesNotContain(holding.token().toHex());
        assertThat(shown).doesNotContain(Long.toHexString(salt));
        assertThat(shown).doesNotContain(Long.toString(salt));
    }

    @Test
    @DisplayName("shows times through another gateway as bounds: held and waited at least, and left at most")
    void timesThroughAnotherGatewayAreBounds() {
        hold(TestClaims.lasting(30, TestClaims.lock(KEY)));
        queue(TestClaims.lock(KEY));
        passSeconds(2);
        KeyDetail seen =
                Await.result(peer().inspect(KeyDetailQuery.first(KEY, 10))).orElseThrow();
        KeyDetail own = view(KEY);

        HolderView holder = seen.holders().getFirst();
        assertThat(holder.heldNanos()).isBetween(0L, own.holders().getFirst().heldNanos());
        assertThat(holder.leaseLeftNanos()).isBetween(own.holders().getFirst().leaseLeftNanos(), seconds(30));
        assertThat(seen.waiters().getFirst().waitedNanos())
                .isBetween(0L, own.waiters().getFirst().waitedNanos());
    }

    @Test
    @DisplayName("says who holds and who waits, through every gateway alike")
    void clients() {
        HeldGrant holder = hold(SEMAPHORE);
        HeldGrant detached = hold(storage(), SEMAPHORE, claimant(true));
        QueuedClaim waiter = queue(SEMAPHORE);
        QueuedClaim last = queue(storage(), SEMAPHORE, claimant(true));
        List<RecordingClaimant> holding = List.of(holder.claimant(), detached.claimant());
        List<RecordingClaimant> waiting = List.of(waiter.claimant(), last.claimant());

        KeyDetail own = view(KEY);
        KeyDetail seen =
                Await.result(peer().inspect(KeyDetailQuery.first(KEY, 10))).orElseThrow();

        for (KeyDetail detail : List.of(own, seen)) {
            showsClients(detail.holders().stream().map(HolderView::client).toList(), holding);
            showsClients(detail.waiters().stream().map(WaiterView::client).toList(), waiting);
            HolderView oldest = Objects.requireNonNull(detail.summary().oldest());
            HolderView first = detail.holders().getFirst();
            assertThat(oldest.client()).isEqualTo(first.client());
            assertThat(oldest.held().exact()).isEqualTo(first.held().exact());
        }
        assertThat(own.holders()).allMatch(each -> each.held().exact());
        assertThat(own.waiters()).allMatch(each -> each.waited().exact());
        ClientView first = own.holders().getFirst().client();
        assertThat(first.gateway()).isNotNull().isNotEmpty();
        assertThat(seen.holders())
                .allMatch(each -> Objects.equals(each.client().gateway(), first.gateway())
                        && each.client().process().equals(first.process()));
    }

    private static void showsClients(List<ClientView> shown, List<RecordingClaimant> claimants) {
        assertThat(shown)
                .extracting(ClientView::description)
                .containsExactlyElementsOf(
                        claimants.stream().map(RecordingClaimant::description).toList());
        assertThat(shown)
                .extracting(ClientView::id)
                .containsExactlyElementsOf(
                        claimants.stream().map(RecordingClaimant::id).toList());
    }

    @Test
    @DisplayName("says who holds a slot that was waited for, through every gateway alike")
    void clientsAfterAWait() {
        HeldGrant holder = hold(TestClaims.lock(KEY));
        QueuedClaim here = queue(TestClaims.lock(KEY));
        QueuedClaim there = queue(peer(), TestClaims.lock(KEY));
        release(holder);
        HeldGrant second = here.awaitGrant();
        shownEverywhere(here.claimant());
        release(second);
        HeldGrant unused = there.awaitGrant();
        shownEverywhere(there.claimant());
    }

    private void shownEverywhere(RecordingClaimant holder) {
        for (LockStorage gateway : List.of(storage(), peer())) {
            KeyDetail shown =
                    Await.result(gateway.inspect(KeyDetailQuery.first(KEY, 10))).orElseThrow();
            showsClients(shown.holders().stream().map(HolderView::client).toList(), List.of(holder));
        }
    }

    private KeyDetail view(Key key) {
        return detail(key).orElseThrow();
    }

    private KeySummary summary(Key key) {
        return view(key).summary();
    }

    private static long seconds(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
