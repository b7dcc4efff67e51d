/**
 * The end of the process: when it cannot go on, and when a second signal wants it to end at once.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.lifecycle;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
