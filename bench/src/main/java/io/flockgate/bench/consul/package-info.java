/**
 * Measures Flockgate over Consul: entries of Consul's log, hand-overs, crashes. Gateways are
 * processes.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
