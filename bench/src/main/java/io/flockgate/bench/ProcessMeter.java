package io.flockgate.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a process's resident memory and the CPU time of all its threads, including those that have
 * ended, from the kernel (Linux).
 */
public final class ProcessMeter {
    private static final int PROCESS_CLOCK = 2;

    private final long pid;
    private final MethodHandle clockGettime;

    @SuppressWarnings("restricted")
    public ProcessMeter(long pid) {
        this.pid = pid;
        Linker linker = Linker.nativeLinker();
        this.clockGettime = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("clock_gettime"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    /** This process. */
    public static ProcessMeter self() {
        return new ProcessMeter(ProcessHandle.current().pid());
    }

    /** CPU time so far, nanoseconds. @throws BenchException when there is no such process */
    public long cpuNanos() {
        // The kernel's encoding of another process's scheduling clock, as clock_getcpuclockid(3)
        // computes it.
        int clock = (int) (~pid << 3) | PROCESS_CLOCK;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(ValueLayout.JAVA_LONG, 2);
            if ((int) clockGettime.invokeExact(clock, time) != 0) {
                throw new BenchException("no process " + pid);
            }
            return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * 1_000_000_000L
                    + time.getAtIndex(ValueLayout.JAVA_LONG, 1);
        } catch (BenchException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("clock_gettime", e);
        }
    }

    /** Resident memory in kB. @throws BenchException when it cannot be read */
    public long residentKb() {
        Path rollup = Path.of("/proc", String.valueOf(pid), "smaps_rollup");
        try {
            return Files.readAllLines(rollup).stream()
                    .filter(line -> line.startsWith("Rss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new BenchException("cannot read " + rollup + ": " + e.getMessage());
        }
    }
}
