package io.flockgate.gateway;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in this process, on a port of its own. Closing it ends what connections are left at once. */
public final class TestGateway implements AutoCloseable {
    private final Gateway gateway;

    private TestGateway(Gateway gateway) {
        this.gateway = gateway;
    }

    /** A server with these flags; the last one given counts. */
    public static TestGateway start(String... flags) {
        List<String> args = new ArrayList<>(List.of("--port=0", "--shutdown-timeout=1"));
        args.addAll(List.of(flags));
        if (CommandLine.read(args, Map.of()) instanceof Invocation.Serve serve) {
            return new TestGateway(Gateway.start(serve.config()).await());
        }
        throw new IllegalArgumentException("no server comes of " + args);
    }

    public int port() {
        return gateway.port();
    }

    public Gateway gateway() {
        return gateway;
    }

    @Override
    public void close() {
        gateway.stop().await();
    }
}
