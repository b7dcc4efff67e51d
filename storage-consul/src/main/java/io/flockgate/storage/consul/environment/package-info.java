/** Time, threads and randomness: the only way for this module to get them. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.environment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
