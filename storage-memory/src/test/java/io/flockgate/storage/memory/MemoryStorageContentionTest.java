package io.flockgate.storage.memory;

import io.flockgate.storage.tck.ContentionContract;
import io.flockgate.storage.tck.StorageHarness;

class MemoryStorageContentionTest extends ContentionContract {
    @Override
    protected StorageHarness harness() {
        return new MemoryHarness();
    }
}
