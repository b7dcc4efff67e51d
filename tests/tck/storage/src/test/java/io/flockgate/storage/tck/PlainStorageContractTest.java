package io.flockgate.storage.tck;

/** A storage that keeps the contract passes it. */
class PlainStorageContractTest extends LockStorageContract {
    @Override
    protected StorageHarness harness() {
        return new PlainHarness(Fault.NONE);
    }
}
