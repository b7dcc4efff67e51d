package io.flockgate.storage.consul.api;

/** The stand-in counts like the real Consul. */
class FakeLogContractTest extends LogContract {
    private final FakeCluster cluster = new FakeCluster();

    @Override
    ConsulApi connect() {
        return new FakeConsul(cluster);
    }

    @Override
    long raftIndex() {
        return cluster.raftIndex();
    }
}
