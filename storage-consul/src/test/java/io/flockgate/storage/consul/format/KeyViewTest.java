package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyViewTest {
    private static final String TWO_OF_THREE = "{\"Limit\":3,\"Holders\":[\"s1\",\"s2\"]}";

    @Test
    void nothingThereIsNoKey() {
        KeyView view = new Entries().view();
        assertThat(view.exists()).isFalse();
        assertThat(view.type()).isEmpty();
        assertThat(view.slots()).isEmpty();
    }

    @Test
    void aHeldLockHasOneSlot() {
        KeyView view = new Entries().lock(Flags.MUTEX, "", "s1").view();
        assertThat(view.type()).contains(new KeyType.Known(Kind.LOCK, 1));
        assertThat(view.slots()).extracting(Slot::session).containsExactly("s1");
        assertThat(view.slots().get(0).isLock(Entries.PATH)).isTrue();
    }

    @Test
    void aLockThatNobodyHoldsIsALockAllTheSame() {
        KeyView view =
                new Entries().lock(Flags.MUTEX, "what others wrote", null).view();
        assertThat(view.type()).contains(new KeyType.Known(Kind.LOCK, 1));
        assertThat(view.slots()).isEmpty();
    }

    @Test
    void holdersCountThatHoldTheirOwnKey() {
        KeyView view = new Entries()
                .document("{\"Limit\":5,\"Holders\":{\"s1\":true,\"dead\":true,\"other\":true}}")
                .foreignContender("s1")
                .add(Entries.PATH.contender("other"), Flags.SEMAPHORE, new byte[0], "s1")
                .view();
        assertThat(view.slots()).extracting(Slot::session).containsExactly("s1");
    }

    @Test
    void contendersThatTheDocumentDoesNotNameHoldNothing() {
        KeyView view = new Entries()
                .document("{\"Limit\":1,\"Holders\":[]}")
                .foreignContender("s1")
                .view();
        assertThat(view.slots()).isEmpty();
        assertThat(view.hasForeignWaiters()).isTrue();
        assertThat(view.leftOver()).isEmpty();
    }

    @Test
    void anEntryOfAGatewayWithoutASlotIsLeftOver() {
        KeyView view = new Entries()
                .document("{\"Limit\":1,\"Holders\":[]}")
                .ours("s1", "n1")
                .view();
        assertThat(view.hasForeignWaiters()).isFalse();
        assertThat(view.leftOver()).extracting(KvEntry::key).containsExactly(Entries.PATH.contender("s1"));
    }

    @Test
    void aDocumentWithoutFlagsIsASemaphoreAsTheGuideShowsIt() {
        KeyView view = new Entries().lock(Flags.NONE, TWO_OF_THREE, null).view();
        assertThat(view.type()).contains(new KeyType.Known(Kind.SEMAPHORE, 3));
    }

    @Test
    void whatIsNeitherIsForeign() {
        assertThat(new Entries().lock(Flags.NONE, "x", null).view().type().orElseThrow())
                .isInstanceOf(KeyType.Foreign.class);
        assertThat(new Entries().lock(Flags.NONE, "", null).view().type().orElseThrow())
                .isInstanceOf(KeyType.Foreign.class);
        assertThat(new Entries().document("x").view().type().orElseThrow()).isInstanceOf(KeyType.Foreign.class);
        assertThat(new Entries().lock(42, TWO_OF_THREE, null).view().type().orElseThrow())
                .isEqualTo(new KeyType.Foreign());
        KeyView foreign = new Entries().document("x").view();
        assertThat(foreign.fit(Kind.SEMAPHORE, 2)).isEqualTo(KeyView.Fit.OTHER_KIND);
        assertThat(foreign.fit(Kind.LOCK, 1)).isEqualTo(KeyView.Fit.OTHER_KIND);
    }

    @Test
    void anEmptiedSemaphoreIsNothingAsConsulsOwnToolsTakeIt() {
        KeyView view = new Entries().document("").view();
        assertThat(view.type()).isEmpty();
        assertThat(view.fit(Kind.SEMAPHORE, 5)).isEqualTo(KeyView.Fit.FITS);
        assertThat(view.fit(Kind.LOCK, 1)).isEqualTo(KeyView.Fit.OTHER_KIND);
    }

    @Test
    void aQueueWithoutALockSaysWhatTheKeyIs() {
        KeyView view = new Entries()
                .ticket("gw-1", Kind.SEMAPHORE, 4)
                .ticket("gw-2", Kind.LOCK, 1)
                .view();
        assertThat(view.exists()).isTrue();
        assertThat(view.type()).contains(new KeyType.Known(Kind.SEMAPHORE, 4));
    }

    @Test
    void theQueueIsInTheOrderOfCreationWhateverTheNames() {
        KeyView view = new Entries()
                .ticket("z-1", Kind.LOCK, 1)
                .ticket("a-9", Kind.LOCK, 1)
                .ticket("a-10", Kind.LOCK, 1)
                .view();
        assertThat(view.queue()).extracting(QueuedTicket::name).containsExactly("z-1", "a-9", "a-10");
    }

    @Test
    void onlyTicketsThatASessionHoldsAreInTheQueue() {
        byte[] mark = new TicketMark("gw", Kind.LOCK, 1, 0).toBytes();
        KeyView view = new Entries()
                .add(Entries.PATH.ticket("gw-1"), Flags.NONE, mark, null)
                .add(Entries.PATH.ticket("gw-2"), Flags.NONE, "x".getBytes(UTF_8), "s1")
                .view();
        assertThat(view.queue()).isEmpty();
    }

    @Test
    void theGrantThatIsRenewedKeepsItsFence() {
        HolderMark renewed = Entries.mark("n1").renewed(17, 5_000);
        KeyView view = new Entries()
                .document("{\"Limit\":1,\"Holders\":[\"s1\"]}")
                .contender("s1", renewed.toBytes())
                .view();
        assertThat(view.slotOf("n1").orElseThrow().fenceIndex()).isEqualTo(17);
        assertThat(view.slotOf("n2")).isEmpty();
    }

    @Test
    void theViewAfterATransactionIsWhatARereadWouldShow() {
        KeyView before = new Entries()
                .document("{\"Limit\":2,\"Holders\":[\"s1\"]}")
                .ours("s1", "n1")
                .view();
        List<KvOp> operations = new Transactions(HoldersForm.LIST)
                .free(before, before.slotOf("n1").orElseThrow());
        KvEntry written = new KvEntry(Entries.PATH.lock(), Flags.SEMAPHORE, new byte[0], null, 101, 110);
        KeyView after = before.after(operations, List.of(written));
        assertThat(after.slots()).isEmpty();
        assertThat(after.entry(Entries.PATH.contender("s1"))).isNull();
        assertThat(after.document()).isEqualTo(SemaphoreDocument.empty(2, HoldersForm.LIST));
        assertThat(after.index()).isEqualTo(110);
        assertThat(after.readIndex()).isEqualTo(before.readIndex());
    }

    @Test
    void anIdleSemaphoreFitsAnyLimit() {
        Entries idle = new Entries().document("{\"Limit\":3,\"Holders\":[\"gone\"]}");
        assertThat(idle.view().fit(Kind.SEMAPHORE, 4)).isEqualTo(KeyView.Fit.FITS);
        assertThat(idle.view().fit(Kind.LOCK, 1)).isEqualTo(KeyView.Fit.OTHER_KIND);
        KeyView waitedFor = idle.ticket("a", Kind.SEMAPHORE, 3).view();
        assertThat(waitedFor.fit(Kind.SEMAPHORE, 4)).isEqualTo(KeyView.Fit.OTHER_LIMIT);
        assertThat(waitedFor.fit(Kind.SEMAPHORE, 3)).isEqualTo(KeyView.Fit.FITS);
    }

    @Test
    void theHeadIsTheFirstOfTheKeysKind() {
        Entries waiting = new Entries()
                .document("{\"Limit\":3,\"Holders\":[]}")
                .ticket("a", Kind.LOCK, 1)
                .ticket("b", Kind.SEMAPHORE, 1)
                .ticket("c", Kind.SEMAPHORE, 3)
                .ticket("d", Kind.SEMAPHORE, 3);
        assertThat(waiting.view().head()).map(QueuedTicket::name).contains("b");
    }

    @Test
    void withoutADocumentTheFirstTicketIsTheHead() {
        assertThat(new Entries()
                        .ticket("a", Kind.SEMAPHORE, 2)
                        .ticket("b", Kind.LOCK, 1)
                        .view()
                        .head())
                .map(QueuedTicket::name)
                .contains("a");
        assertThat(new Entries()
                        .lock(5, "maintenance", null)
                        .ticket("a", Kind.LOCK, 1)
                        .view()
                        .head())
                .isEmpty();
        assertThat(new Entries().document("").ticket("a", Kind.LOCK, 1).view().head())
                .isEmpty();
    }
}
