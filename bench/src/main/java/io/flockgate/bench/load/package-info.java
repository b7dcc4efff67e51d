/**
 * A load driver for lock servers: one thread, a closed loop over non-blocking sockets, and the
 * server's own CPU clock. Speaks dflockd's line protocol and REST API; does not depend on the
 * gateway.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.bench.load;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
