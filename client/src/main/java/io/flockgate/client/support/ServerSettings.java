package io.flockgate.client.support;

import io.flockgate.client.LeaseBackendProvider.Settings;
import io.flockgate.client.LeaseEnvironment;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The settings of a back end for gateways.
 *
 * @param servers gateways of one cluster
 */
public record ServerSettings<A>(List<A> servers, Settings connection) {
    public ServerSettings {
        servers = List.copyOf(servers);
    }

    public LeaseEnvironment environment() {
        return connection.environment();
    }

    /** The ticker's time. */
    public long nanos() {
        return environment().ticker().nanos();
    }

    /** The addresses of the servers, for messages. */
    public String addresses() {
        return servers.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
