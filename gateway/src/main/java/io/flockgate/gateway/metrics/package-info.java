/**
 * What the server measures of itself, in Prometheus's text format. Knows sessions and storage by what they tell and no
 * protocol: whoever serves one hands its counts in. Nothing else knows the library behind it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
