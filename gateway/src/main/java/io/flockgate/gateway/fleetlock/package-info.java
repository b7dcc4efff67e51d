/**
 * FleetLock's requests, answers and maintenance windows. The package knows rosters and settings,
 * but nothing about HTTP.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.fleetlock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
