package io.flockgate.client.tcp;

import io.flockgate.client.LeaseEnvironment;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link TcpBackend}.
 *
 * @param servers gateways of one cluster
 * @param clientName the client's name for operators
 * @param authToken the server's token, if it needs one
 * @param sslContext supplies trust and keys when a connection with TLS is opened, because the JVM's
 *     own take long to load
 * @param environment clocks and timers
 * @param executor runs tasks that read and write sockets, each while its connection lasts
 */
public record TcpSettings(
        List<ServerAddress> servers,
        String clientName,
        @Nullable String authToken,
        Supplier<SSLContext> sslContext,
        LeaseEnvironment environment,
        Executor executor) {
    public TcpSettings {
        servers = List.copyOf(servers);
    }

    /** The addresses of the servers, for messages. */
    String addresses() {
        return servers.stream().map(ServerAddress::toString).collect(Collectors.joining(", "));
    }

    /** The ticker's time. */
    long nanos() {
        return environment.ticker().nanos();
    }

    @Override
    public String toString() {
        return "servers " + servers;
    }
}
