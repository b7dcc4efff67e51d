package io.flockgate.storage.consul;

import io.flockgate.storage.tck.LockStorageContract;
import io.flockgate.storage.tck.StorageHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Most cases wait for time to pass: they do it side by side. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new ConsulHarness();
    }
}
