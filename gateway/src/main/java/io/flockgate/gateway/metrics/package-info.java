/**
 * The metrics of the server, in Prometheus's text format. The package knows sessions and storages
 * but no protocol: each server passes its counts in. No other package knows the library behind it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
