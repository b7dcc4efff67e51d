/** The sessions of the REST API, and the operations in them. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.rest.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
