package io.flockgate.storage.tck;

import org.junit.jupiter.api.Tag;

/** A storage at a distance, on which time really passes, can keep the contract unchanged. */
@Tag("slow")
class DistantStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new DistantHarness();
    }
}
