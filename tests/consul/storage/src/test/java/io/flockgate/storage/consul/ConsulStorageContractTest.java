package io.flockgate.storage.consul;

import io.flockgate.storage.tck.LockStorageContract;
import io.flockgate.storage.tck.StorageHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The cases run in parallel, because most of them wait for time to pass. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class ConsulStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new ConsulHarness();
    }
}
