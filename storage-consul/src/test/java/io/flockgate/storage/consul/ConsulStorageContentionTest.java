package io.flockgate.storage.consul;

import io.flockgate.storage.tck.ContentionContract;
import io.flockgate.storage.tck.Load;
import io.flockgate.storage.tck.StorageHarness;
import org.junit.jupiter.api.Tag;

@Tag("consul")
class ConsulStorageContentionTest extends ContentionContract {
    @Override
    protected StorageHarness harness() {
        return new ConsulHarness();
    }

    @Override
    protected Load load() {
        return Load.SLOW;
    }
}
