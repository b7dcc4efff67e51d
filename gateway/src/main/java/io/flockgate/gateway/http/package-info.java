/**
 * HTTP/1.1 on Vert.x: the port, its connections, and requests with their replies. Knows no route.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
