/** Tests of the REST API from outside, in bytes over its sockets. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.server.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
