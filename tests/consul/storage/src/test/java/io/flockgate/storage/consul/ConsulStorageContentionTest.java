package io.flockgate.storage.consul;

import io.flockgate.storage.tck.ContentionContract;
import io.flockgate.storage.tck.Load;
import io.flockgate.storage.tck.StorageHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
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
