/** Clients that take what they can get, against a gateway process with little memory. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.server.flood;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
