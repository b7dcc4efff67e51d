package io.flockgate.storage.consul.api;

/** The stand-in counts like the real Consul. */
class FakeLogContractTest extends LogContract {
    private final FakeConsul consul = new FakeConsul();

    @Override
    ConsulApi connect() {
        return consul.another();
    }

    @Override
    long raftIndex() {
        return consul.raftIndex();
    }
}
