package io.flockgate.storage.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The contract of every storage: each sentence of {@link io.flockgate.storage.LockStorage} as a
 * case. The tests of a storage extend this class with a harness.
 */
@DisplayName("A lock storage")
public abstract class LockStorageContract {
    /** Creates a new harness; called once for every case. */
    protected abstract StorageHarness harness();

    @Nested
    @DisplayName("a stale token")
    class AStaleToken extends StaleTokenCases {}

    @Nested
    @DisplayName("a free key")
    class AFreeKey extends FreeKeyCases {}

    @Nested
    @DisplayName("a held key")
    class AHeldKey extends HeldKeyCases {}

    @Nested
    @DisplayName("a semaphore")
    class ASemaphore extends SemaphoreCases {}

    @Nested
    @DisplayName("a lease")
    class ALease extends LeaseCases {}

    @Nested
    @DisplayName("a renewal")
    class ARenewal extends RenewalCases {}

    @Nested
    @DisplayName("a queue")
    class AQueue extends QueueCases {}

    @Nested
    @DisplayName("a waiter that leaves")
    class AWaiterThatLeaves extends LeavingCases {}

    @Nested
    @DisplayName("a slot that an operator sets free")
    class AnEviction extends EvictionCases {}

    @Nested
    @DisplayName("a waiter that an operator removes")
    class ARemoval extends RemovalCases {}

    @Nested
    @DisplayName("the limit that an operator sets")
    class AnOrderedLimit extends LimitCases {}

    @Nested
    @DisplayName("a bound")
    class ABound extends BoundCases {}

    @Nested
    @DisplayName("a claim that takes the key for another")
    class AMismatch extends MismatchCases {}

    @Nested
    @DisplayName("an idle key")
    class AnIdleKey extends IdleKeyCases {}

    @Nested
    @DisplayName("the list of keys")
    class TheListOfKeys extends ListingCases {}

    @Nested
    @DisplayName("the list of keys finds")
    class FoundKeys extends FilterCases {}

    @Nested
    @DisplayName("a page of the view of a key")
    class ADetailPage extends DetailPageCases {}

    @Nested
    @DisplayName("the view of a key")
    class TheViewOfAKey extends ViewCases {}

    @Nested
    @DisplayName("fences")
    class Fences extends FenceCases {}

    @Nested
    @DisplayName("a detached grant")
    class ADetachedGrant extends DetachedCases {}

    @Nested
    @DisplayName("a restart")
    class ARestart extends RestartCases {}

    @Nested
    @DisplayName("the list of other gateways")
    class OtherGateways extends GatewayCases {}

    @Nested
    @DisplayName("the id of the grants")
    class TheIncarnation extends IncarnationCases {}

    @Nested
    @DisplayName("closing")
    class Closing extends ClosingCases {}
}
