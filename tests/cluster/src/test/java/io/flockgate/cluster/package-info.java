/** Real gateway processes on a real Consul, and what goes wrong with them. */
@NullMarked
@CheckReturnValue
package io.flockgate.cluster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
