package io.flockgate.storage.tck;

import org.junit.jupiter.api.Tag;

/** The contract can be kept, unchanged, by a storage at a distance on which time really passes. */
@Tag("slow")
class DistantStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new DistantHarness();
    }
}
