/** What clients may use at the same time: places, which the gate counts, and bytes. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.limits;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
