/**
 * FleetLock: what a request says, when a group gives out slots, and what is answered. Knows rosters, settings and event
 * loops, and nothing of HTTP's bytes.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.fleetlock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
