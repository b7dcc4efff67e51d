package io.flockgate.storage.tck;

/** A storage that keeps the contract keeps it under contention. */
class PlainStorageContentionTest extends ContentionContract {
    @Override
    protected StorageHarness harness() {
        return new PlainHarness(Fault.NONE);
    }
}
