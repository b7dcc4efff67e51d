package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.ProcessMeter;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;

/** A gateway process under measurement. Closing it stops it as an operator would. */
final class BenchGateway implements AutoCloseable {
    private final GatewayProcess process;

    private BenchGateway(GatewayProcess process) {
        this.process = process;
    }

    /**
     * Starts a gateway as shipped.
     *
     * @param launcher the path of {@code ./flockgate}
     */
    static BenchGateway start(String launcher, String node, URI consul) {
        try {
            return new BenchGateway(GatewayLauncher.of(List.of(launcher))
                    .onConsul(consul)
                    .flags("--node-name", node, "--max-locks", "100000")
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
