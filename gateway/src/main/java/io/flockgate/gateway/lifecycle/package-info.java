/**
 * Ends the process when it cannot continue, and at a second signal.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.lifecycle;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
