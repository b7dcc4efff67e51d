package io.flockgate.bench.consul;

import java.time.Duration;

/** Reads the CPU time of processes. */
final class Processes {
    private Processes() {}

    /** CPU time so far, in steps of a hundredth of a second. */
    static Duration cpu(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new BenchException("no process " + pid));
    }

    static Duration ownCpu() {
        return cpu(ProcessHandle.current().pid());
    }
}
