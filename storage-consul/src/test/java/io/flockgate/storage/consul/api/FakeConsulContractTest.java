package io.flockgate.storage.consul.api;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The stand-in behaves like the real Consul. */
@Execution(ExecutionMode.CONCURRENT)
class FakeConsulContractTest extends ConsulContract {
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
