package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * Consul without a gateway: {@code consul://} and {@code consuls://}. The token of the connection
 * is Consul's ACL token.
 */
public final class ConsulProvider implements LeaseBackendProvider {
    /** For {@link java.util.ServiceLoader}. */
    public ConsulProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("consul", "consuls");
    }

    @Override
    public LeaseBackend backend(List<URI> agents, Settings settings) {
        String token = settings.authToken() == null ? "" : settings.authToken();
        return new ConsulBackend(ConsulOptions.agents(agents)
                .clientName(settings.clientName())
                .aclToken(() -> token)
                .sslContext(settings.sslContext().get())
                .ioExecutor(settings.ioExecutor())
                .environment(settings.environment()));
    }
}
