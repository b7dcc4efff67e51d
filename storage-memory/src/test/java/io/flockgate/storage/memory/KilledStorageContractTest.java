package io.flockgate.storage.memory;

import io.flockgate.storage.memory.file.FakeDirectory;
import io.flockgate.storage.tck.LockStorageContract;
import io.flockgate.storage.tck.StorageHarness;

class KilledStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new KeptHarness(FakeDirectory::killed);
    }
}
