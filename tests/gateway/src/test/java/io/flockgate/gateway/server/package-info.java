/** Tests of the running server from outside: over its sockets, and as a process. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.server;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
