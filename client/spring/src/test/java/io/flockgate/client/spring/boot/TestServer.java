package io.flockgate.client.spring.boot;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualBackend;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code test://server}: one server in memory, which outlives its clients. */
public final class TestServer implements LeaseBackendProvider {
    /** The server. */
    static final MemoryBackend MEMORY = new MemoryBackend(LeaseEnvironment.system());

    @Override
    public Set<String> schemes() {
        return Set.of("test");
    }

    @Override
    public LeaseBackend backend(List<URI> servers, ConnectOptions options) {
        return new ManualBackend(MEMORY) {
            @Override
            public void close() {
                answerBy(new Fault() {
                    @Override
                    public <T> CompletionStage<T> answer() {
                        return CompletableFuture.failedStage(new LeaseClosedException("the client is closed"));
                    }
                });
            }
        };
    }
}
