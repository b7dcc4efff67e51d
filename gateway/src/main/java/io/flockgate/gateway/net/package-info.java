/** Listening on TCP ports: admission, TLS, and socket operations that Vert.x does not offer. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.net;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
