package io.flockgate.storage.memory;

import io.flockgate.storage.tck.LockStorageContract;
import io.flockgate.storage.tck.StorageHarness;

class MemoryStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new MemoryHarness();
    }
}
