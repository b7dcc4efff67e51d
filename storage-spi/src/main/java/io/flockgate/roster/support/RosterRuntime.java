package io.flockgate.roster.support;

import java.time.InstantSource;
import java.util.concurrent.Executor;

/**
 * The clock, the timer and the threads of {@link SerialRosters}.
 *
 * @param clock the time of day, which is shown with members
 * @param worker runs loops, which block, and never interrupts them
 * @param gateway the node name of this gateway
 */
public record RosterRuntime(InstantSource clock, Timer timer, Executor worker, String gateway) {}
