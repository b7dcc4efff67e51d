/** Measures grants that outlive the gateway, and the disk that they are written to. */
@NullMarked
@CheckReturnValue
package io.flockgate.bench.durable;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
