package io.flockgate.client.tcp;

import io.flockgate.client.LeaseBackendProvider.Settings;
import io.flockgate.client.LeaseEnvironment;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The settings of a {@link TcpBackend}.
 *
 * @param servers gateways of one cluster
 */
record ServerSettings(List<ServerAddress> servers, Settings connection) {
    ServerSettings {
        servers = List.copyOf(servers);
    }

    LeaseEnvironment environment() {
        return connection.environment();
    }

    /** The ticker's time. */
    long nanos() {
        return environment().ticker().nanos();
    }

    /** The addresses of the servers, for messages. */
    String addresses() {
        return servers.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
