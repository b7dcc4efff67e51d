package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TransactionsTest {
    private static final KeyPath PATH = Entries.PATH;

    private final Transactions transactions = new Transactions(HoldersForm.MAP);

    private static PendingGrant semaphore(String session) {
        return new PendingGrant(Kind.SEMAPHORE, 2, session, Entries.mark("new"), 0);
    }

    private static PendingGrant lock(String session) {
        return new PendingGrant(Kind.LOCK, 1, session, Entries.mark("new"), 0);
    }

    private static String document(List<KvOp> operations) {
        return operations.stream()
                .filter(KvOp.Cas.class::isInstance)
                .map(each -> new String(((KvOp.Cas) each).value(), UTF_8))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyChangeIsConditionalSoThatALateOneDoesNothing() {
        KeyView view = held();
        Slot slot = view.slots().get(0);
        QueuedTicket head = view.queue().get(0);
        Stream.of(
                        transactions.takeFree(view, semaphore("s9")),
                        transactions.promote(view, head, semaphore("s9")),
                        transactions.handOver(view, slot, head, semaphore("s9")),
                        transactions.free(view, slot),
                        transactions.renew(slot, 1_000),
                        transactions.setLimit(view, Objects.requireNonNull(view.document()), 9),
                        transactions.dequeue(head),
                        transactions.evict(view, head),
                        transactions.touch(head),
                        transactions.deleteContender(slot.entry()),
                        transactions.forget(view))
                .forEach(operations -> assertThat(operations)
                        .anyMatch(TransactionsTest::isCondition)
                        .noneMatch(TransactionsTest::isUnconditional));
    }

    /** If the slot was seen long ago, another client may hold it by now. */
    @Test
    void aHeadIsEvictedOnlyWhileTheKeyIsAsItWasSeen() {
        KeyView view = held();
        assertThat(transactions.evict(view, view.queue().get(0)))
                .contains(new KvOp.CheckIndex(Entries.PATH.lock(), view.lockIndex()));
    }

    private static boolean isCondition(KvOp operation) {
        return operation instanceof KvOp.Cas
                || operation instanceof KvOp.DeleteCas
                || operation instanceof KvOp.CheckIndex
                || operation instanceof KvOp.CheckNotExists;
    }

    private static boolean isUnconditional(KvOp operation) {
        return operation instanceof KvOp.Set;
    }

    private static KeyView held() {
        return new Entries()
                .document("{\"Limit\":2,\"Holders\":[\"s1\",\"dead\"],\"owner\":\"db team\"}")
                .ours("s1", "n1")
                .sequence()
                .ticket("gw-1", Kind.SEMAPHORE, 2)
                .view();
    }

    @Test
    void whoTakesASlotPrunesTheDeadAndKeepsWhatOthersHaveWritten() {
        assertThat(document(transactions.takeFree(held(), semaphore("s9"))))
                .isEqualTo("{\"Limit\":2,\"Holders\":[\"s1\",\"s9\"],\"owner\":\"db team\"}");
    }

    @Test
    void whoTakesASlotOfAnIdleSemaphoreSetsItsLimit() {
        Entries idle = new Entries().document("{\"Limit\":7,\"Holders\":[\"gone\"]}");
        assertThat(document(transactions.takeFree(idle.view(), semaphore("s9"))))
                .isEqualTo("{\"Limit\":2,\"Holders\":[\"s9\"]}");
        KeyView waitedFor = idle.ticket("gw-1", Kind.SEMAPHORE, 2).view();
        assertThat(document(transactions.promote(waitedFor, waitedFor.queue().getFirst(), semaphore("s9"))))
                .isEqualTo("{\"Limit\":7,\"Holders\":[\"s9\"]}");
    }

    @Test
    void aNewDocumentHasTheFormThatIsConfigured() {
        KeyView nothing = new Entries().view();
        assertThat(document(transactions.takeFree(nothing, semaphore("s9"))))
                .isEqualTo("{\"Limit\":2,\"Holders\":{\"s9\":true}}");
        assertThat(document(new Transactions(HoldersForm.LIST).takeFree(nothing, semaphore("s9"))))
                .isEqualTo("{\"Limit\":2,\"Holders\":[\"s9\"]}");
    }

    @Test
    void aSlotIsTakenOnlyIfNobodyHasQueuedMeanwhile() {
        assertThat(transactions.takeFree(held(), semaphore("s9")))
                .contains(new KvOp.CheckIndex(
                        PATH.sequence(),
                        Objects.requireNonNull(held().entry(PATH.sequence())).modifyIndex()));
        assertThat(transactions.takeFree(new Entries().view(), lock("p")))
                .contains(new KvOp.CheckNotExists(PATH.sequence()), new KvOp.CheckNotExists(PATH.lock()));
    }

    @Test
    void aFreedSlotLeavesAnEmptyDocumentNeverNull() {
        KeyView view = new Entries()
                .document("{\"Limit\":2,\"Holders\":{\"s1\":true}}")
                .ours("s1", "n1")
                .view();
        assertThat(document(transactions.free(view, view.slots().get(0)))).isEqualTo("{\"Limit\":2,\"Holders\":{}}");
    }

    @Test
    void aDocumentWithoutFlagsGetsTheFlagsOfASemaphore() {
        KeyView view = new Entries()
                .lock(Flags.NONE, "{\"Limit\":2,\"Holders\":[]}", null)
                .view();
        assertThat(transactions.takeFree(view, semaphore("s9")))
                .filteredOn(KvOp.Cas.class::isInstance)
                .extracting(each -> ((KvOp.Cas) each).flags())
                .containsExactly(Flags.SEMAPHORE);
    }

    @Test
    void aLockKeepsItsFlagsWhenItIsFreed() {
        KeyView view = new Entries()
                .lock(Flags.MUTEX, new String(Entries.mark("n1").toBytes(), UTF_8), "p")
                .view();
        assertThat(transactions.free(view, view.slots().get(0)))
                .filteredOn(KvOp.Unlock.class::isInstance)
                .extracting(each -> ((KvOp.Unlock) each).flags())
                .containsExactly(Flags.MUTEX);
    }

    @Test
    void aHandOverTakesTheTicketAwayAndTheOldHolder() {
        KeyView view = held();
        List<KvOp> operations =
                transactions.handOver(view, view.slots().get(0), view.queue().get(0), semaphore("s9"));
        assertThat(document(operations)).isEqualTo("{\"Limit\":2,\"Holders\":[\"s9\"],\"owner\":\"db team\"}");
        assertThat(operations)
                .filteredOn(KvOp.DeleteCas.class::isInstance)
                .extracting(each -> ((KvOp.DeleteCas) each).key())
                .containsExactlyInAnyOrder(PATH.ticket("gw-1"), PATH.contender("s1"));
    }

    /** A transaction accepts 64 operations in the oldest versions. */
    @Test
    void noMoveComesNearTheMostOperationsOfATransaction() {
        KeyView view = held();
        assertThat(transactions.handOver(view, view.slots().get(0), view.queue().get(0), semaphore("s9")))
                .hasSizeLessThanOrEqualTo(6);
    }
}
