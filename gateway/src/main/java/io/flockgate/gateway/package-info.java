/** The server: builds its parts, starts and stops them in order. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
