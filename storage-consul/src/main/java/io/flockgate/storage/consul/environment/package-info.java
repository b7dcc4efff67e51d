/** Time, threads and randomness: the only source of them in this module. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.environment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
