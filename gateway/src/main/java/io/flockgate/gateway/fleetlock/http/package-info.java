/** FleetLock over HTTP: its two operations for machines, and the routes for operators. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.fleetlock.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
