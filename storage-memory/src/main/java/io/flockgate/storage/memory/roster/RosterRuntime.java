package io.flockgate.storage.memory.roster;

import io.flockgate.roster.support.Timer;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The clocks, the timer and the thread of {@link MemoryRosters}.
 *
 * @param clock the time of day, which is shown with members
 * @param nanoTime monotonic nanoseconds
 * @param worker runs tasks that block, one at a time, and never interrupts them
 */
record RosterRuntime(InstantSource clock, LongSupplier nanoTime, Timer timer, Executor worker) {}
