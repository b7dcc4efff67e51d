/** Finds clients that wait for each other. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
