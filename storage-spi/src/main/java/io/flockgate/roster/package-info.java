/**
 * The contract of rosters: groups of machines with a limit on how many may reboot concurrently
 * (FleetLock). Contains only values, their pure rules and interfaces; implementations are in the
 * modules of the storages.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
