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
    class AStaleToken extends StaleTokenCases {
        AStaleToken() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a free key")
    class AFreeKey extends FreeKeyCases {
        AFreeKey() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a held key")
    class AHeldKey extends HeldKeyCases {
        AHeldKey() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a semaphore")
    class ASemaphore extends SemaphoreCases {
        ASemaphore() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a lease")
    class ALease extends LeaseCases {
        ALease() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a renewal")
    class ARenewal extends RenewalCases {
        ARenewal() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a queue")
    class AQueue extends QueueCases {
        AQueue() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a waiter that leaves")
    class AWaiterThatLeaves extends LeavingCases {
        AWaiterThatLeaves() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a slot that an operator sets free")
    class AnEviction extends EvictionCases {
        AnEviction() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a waiter that an operator removes")
    class ARemoval extends RemovalCases {
        ARemoval() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a bound")
    class ABound extends BoundCases {
        ABound() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a claim that takes the key for another")
    class AMismatch extends MismatchCases {
        AMismatch() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("an idle key")
    class AnIdleKey extends IdleKeyCases {
        AnIdleKey() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the list of keys")
    class TheListOfKeys extends ListingCases {
        TheListOfKeys() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the list of keys finds")
    class FoundKeys extends FilterCases {
        FoundKeys() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a page of the view of a key")
    class ADetailPage extends DetailPageCases {
        ADetailPage() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the view of a key")
    class TheViewOfAKey extends ViewCases {
        TheViewOfAKey() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("fences")
    class Fences extends FenceCases {
        Fences() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a detached grant")
    class ADetachedGrant extends DetachedCases {
        ADetachedGrant() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("a restart")
    class ARestart extends RestartCases {
        ARestart() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the list of other gateways")
    class OtherGateways extends GatewayCases {
        OtherGateways() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("the id of the grants")
    class TheIncarnation extends IncarnationCases {
        TheIncarnation() {
            super(harness());
        }
    }

    @Nested
    @DisplayName("closing")
    class Closing extends ClosingCases {
        Closing() {
            super(harness());
        }
    }
}
