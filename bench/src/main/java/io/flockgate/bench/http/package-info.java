/**
 * A bare HTTP server with fixed answers: what Vert.x alone costs a REST API. Does not depend on the
 * gateway.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.bench.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
