/**
 * Event loops of Vert.x as one thread with a clock, turns and timers, and long tasks in steps.
 * Knows nothing about what runs on them.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.eventloop;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
