/**
 * The metrics of the server, in Prometheus's text format. The package listens to sessions and to
 * FleetLock; other servers pass their counts in. No other package knows the library behind it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
