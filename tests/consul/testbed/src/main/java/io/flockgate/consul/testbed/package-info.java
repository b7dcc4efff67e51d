/**
 * Real Consul agents for tests and measurements: found or fetched, started, paused, killed. Not
 * released.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.consul.testbed;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
