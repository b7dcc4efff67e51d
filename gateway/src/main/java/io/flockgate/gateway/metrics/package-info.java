/**
 * The metrics of the server, in Prometheus's text format. The package knows sessions, storages and
 * no protocol: each server hands its counts in. No other package knows the library behind it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
