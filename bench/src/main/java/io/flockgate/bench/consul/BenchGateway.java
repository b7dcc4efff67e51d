package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.ProcessMeter;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A gateway process under measurement. Closing it stops it as an operator would. */
final class BenchGateway implements AutoCloseable {
    private final GatewayProcess process;

    private BenchGateway(GatewayProcess process) {
        this.process = process;
    }

    /**
     * The way to start a gateway.
     *
     * @param launcher {@code ./flockgate}
     */
    record Kit(Path launcher) {
        /** Starts a gateway as shipped. */
        BenchGateway start(String node, URI consul) {
            return BenchGateway.start(List.of(launcher.toString(), "--storage", "consul"), node, consul);
        }
    }

    private static BenchGateway start(List<String> program, String node, URI consul) {
        try {
            return new BenchGateway(GatewayLauncher.of(program)
                    .flags("--node-name", node, "--consul-addr", consul.toString(), "--max-locks", "100000")
                    .start());
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port());
    }

    /** CPU time so far. */
    long cpuNanos() {
        return new ProcessMeter(process.pid()).cpuNanos();
    }

    /** Ends it as a crash would: once this returns, it sends nothing more. */
    void crash() {
        try {
            process.kill();
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    /** A crashed process has already ended. */
    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                process.stop();
            }
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }
}
