package io.flockgate.storage.consul.api;

import java.time.Duration;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The stand-in behaves like the real Consul. */
@Execution(ExecutionMode.CONCURRENT)
class FakeConsulContractTest extends SessionContract {
    private final FakeConsul consul = new FakeConsul();

    @Override
    ConsulApi connect() {
        return consul.another();
    }

    @Override
    long raftIndex() {
        return consul.raftIndex();
    }

    @Override
    void delayLock(String key) {
        consul.delayLock(key, Duration.ofSeconds(15));
    }
}
