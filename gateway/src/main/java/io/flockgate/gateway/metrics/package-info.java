/** Metrics. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
