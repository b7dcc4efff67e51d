/** Listening on TCP ports: admission, TLS, and what sockets of Vert.x do not offer themselves. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.net;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
