/** The REST API: its routes, the checks of every request, bodies, replies and reports. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.rest;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
