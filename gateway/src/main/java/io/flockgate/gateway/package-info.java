/** The server: its parts, put together, started and stopped in order. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
