package io.flockgate.storage.tck;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class DistantStorageContentionTest extends ContentionContract {
    @Override
    protected StorageHarness harness() {
        return new DistantHarness();
    }

    @Override
    protected Load load() {
        return Load.SLOW;
    }
}
