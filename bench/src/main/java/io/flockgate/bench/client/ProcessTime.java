package io.flockgate.bench.client;

import java.time.Duration;

/** The processor time that this process and the server use. */
final class ProcessTime {
    private final ProcessHandle server;

    ProcessTime(long serverPid) {
        this.server =
                ProcessHandle.of(serverPid).orElseThrow(() -> new IllegalArgumentException("no process " + serverPid));
    }

    /** Processor time so far. */
    record Used(Duration client, Duration server) {
        Used since(Used earlier) {
            return new Used(client.minus(earlier.client), server.minus(earlier.server));
        }
    }

    Used now() {
        return new Used(of(ProcessHandle.current()), of(server));
    }

    private static Duration of(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow();
    }
}
