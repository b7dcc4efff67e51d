/** Logging: one line of {@code key=value} text per event, on standard error. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.log;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
