package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.KeptClient;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.LockStorage.Survival;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A process that is killed, and the next one. Does nothing for a storage that keeps no clients. */
abstract class RestartCases extends StorageCases {
    private static final byte[] MEMO = "a client".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OTHER_MEMO = "another client".getBytes(StandardCharsets.UTF_8);

    @CanIgnoreReturnValue
    private HeldGrant holdKept(Claim claim) {
        return hold(storage(), claim, kept(MEMO));
    }

    private void isHeld(LockStorage next, Claim claim) {
        assertThat(claim(next, TestClaims.notQueueing(claim), bound())).isEqualTo(Refusal.BUSY);
    }

    private void isFree(LockStorage next, Claim claim) {
        assertThat(claim(next, TestClaims.notQueueing(claim), bound())).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("gives clients back if the storage says so")
    void asTheStorageSays() {
        assertThat(storage().keptClients()).isEmpty();
        if (storage().survival() == Survival.KEPT) {
            assertThat(harness.successor(storage())).isPresent().hasValueSatisfying(next -> Await.done(next.close()));
        }
        afterRestart(next -> assertThat(next.survival()).isEqualTo(Survival.KEPT));
    }

    @Test
    @DisplayName("keeps a grant, its token and the order of fences")
    void keepsAGrant() {
        Claim pool = TestClaims.semaphore(OTHER_KEY, 2);
        HeldGrant lock = holdKept(TestClaims.lock(KEY));
        HeldGrant one = holdKept(pool);
        HeldGrant other = holdKept(pool);
        afterRestart(next -> {
            goesOn(next, lock, TestClaims.lock(KEY));
            goesOn(next, one, pool);
            assertThat(Await.result(next.release(OTHER_KEY, other.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        });
    }

    private void goesOn(LockStorage next, HeldGrant holding, Claim claim) {
        isHeld(next, claim);
        assertThat(Await.result(next.renew(holding.key(), holding.token(), 5))).isEqualTo(RenewOutcome.RENEWED);
        assertThat(Await.result(next.release(holding.key(), holding.token()))).isEqualTo(ReleaseOutcome.RELEASED);
        HeldGrant later = hold(next, claim, bound());
        assertThat(Long.compareUnsigned(later.fence(), holding.fence())).isPositive();
        assertThat(Await.result(next.renew(holding.key(), holding.token(), 5))).isEqualTo(RenewOutcome.NOT_HELD);
    }

    @Test
    @DisplayName("keeps the limit that an operator has set, once a grant has been made under it")
    void keepsAnOrderedLimit() {
        Claim claim = TestClaims.semaphore(KEY, 1);
        holdKept(claim);
        QueuedClaim waiting = queue(storage(), claim, kept(MEMO));
        assertThat(setLimit(storage(), KEY, 2)).isEqualTo(LimitOutcome.CHANGED);
        assertThat(waiting.awaitGrant()).isNotNull();
        afterRestart(next -> {
            assertThat(claim(next, claim, bound())).isEqualTo(Refusal.LIMIT_MISMATCH);
            isHeld(next, TestClaims.semaphore(KEY, 2));
        });
    }

    @Test
    @DisplayName("raises fences above every one before, whatever was kept")
    void raisesFences() {
        HeldGrant holding = hold(storage(), TestClaims.lock(KEY), bound());
        afterRestart(next -> {
            HeldGrant later = hold(next, TestClaims.lock(KEY), bound());
            assertThat(Long.compareUnsigned(later.fence(), holding.fence())).isPositive();
        });
    }

    @Test
    @DisplayName("ends a grant of a claimant without a memo")
    void endsOthers() {
        hold(storage(), TestClaims.lock(KEY), bound());
        afterRestart(next -> isFree(next, TestClaims.lock(KEY)));
    }

    @Test
    @DisplayName("after a restart keeps the grant still")
    void twice() {
        HeldGrant holding = holdKept(TestClaims.lock(KEY));
        afterRestart(next -> harness.successor(next).ifPresent(last -> {
            goesOn(last, holding, TestClaims.lock(KEY));
            Await.done(last.close());
        }));
    }

    @Test
    @DisplayName("keeps the grant that a waiter got, and no waiter")
    void keepsTheGrantOfAWaiter() {
        HeldGrant first = holdKept(TestClaims.lock(KEY));
        QueuedClaim second = queue(storage(), TestClaims.lock(KEY), kept(OTHER_MEMO));
        queue(storage(), TestClaims.lock(KEY), kept(OTHER_MEMO));
        release(first);
        HeldGrant holding = second.awaitGrant();
        afterRestart(next -> {
            assertThat(Await.result(next.release(KEY, first.token()))).isEqualTo(ReleaseOutcome.NOT_HELD);
            goesOn(next, holding, TestClaims.lock(KEY));
        });
    }

    @Test
    @DisplayName("begins the lease anew: the grant ends late, but never early")
    void beginsTheLeaseAnew() {
        Claim claim = TestClaims.lasting(3, TestClaims.lock(KEY));
        holdKept(claim);
        passSeconds(2);
        afterRestart(next -> {
            passSeconds(2);
            isHeld(next, claim);
            passSeconds(2);
            isFree(next, claim);
        });
    }

    @Test
    @DisplayName("gives the grant the longest lease that it was renewed with")
    void keepsALongerLease() {
        Claim claim = TestClaims.lasting(1, TestClaims.lock(KEY));
        HeldGrant holding = holdKept(claim);
        assertThat(Await.result(storage().renew(KEY, holding.token(), 1_000))).isEqualTo(RenewOutcome.RENEWED);
        assertThat(Await.result(storage().renew(KEY, holding.token(), 2))).isEqualTo(RenewOutcome.RENEWED);
        afterRestart(next -> {
            harness.pass(Duration.ofSeconds(3));
            isHeld(next, claim);
        });
    }

    @Test
    @DisplayName("gives each client back once, with its grants, and notifies the new claimant of their endings")
    void givesClientsBack() {
        HeldGrant lock = holdKept(TestClaims.lock(KEY));
        hold(storage(), TestClaims.semaphore(OTHER_KEY, 3), kept(OTHER_MEMO));
        HeldGrant slot = holdKept(TestClaims.semaphore(OTHER_KEY, 3));
        afterRestart(next -> {
            List<KeptClient> clients = next.keptClients();
            assertThat(clients).extracting(KeptClient::memo).containsExactlyInAnyOrder(MEMO, OTHER_MEMO);
            assertThat(next.keptClients()).isEmpty();
            RecordingClaimant claimant = kept(MEMO);
            List<Grant> grants = adopt(clients, claimant);
            assertThat(grants).extracting(Grant::token).containsExactlyInAnyOrder(lock.token(), slot.token());
            Grant kept = grants.getFirst();
            assertThat(Await.result(next.release(kept.key(), kept.token()))).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(claimant.awaitEnded(kept)).isEqualTo(Ending.RELEASED);
        });
    }

    private static List<Grant> adopt(List<KeptClient> clients, RecordingClaimant claimant) {
        return clients.stream()
                .filter(client -> Arrays.equals(client.memo(), MEMO))
                .findFirst()
                .orElseThrow()
                .adopt(claimant);
    }
}
