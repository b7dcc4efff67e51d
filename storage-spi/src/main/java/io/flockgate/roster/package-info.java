/**
 * The contract of rosters: groups of machines of which only so many may reboot at a time
 * (FleetLock). Holds values, their pure rules and interfaces only; implementations are in the
 * modules of the storages.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
