/**
 * Rosters: groups of machines with a limit on how many may reboot concurrently (FleetLock). {@link
 * io.flockgate.roster.Roster} has the rules, which are pure; {@link
 * io.flockgate.roster.RosterStorage} applies them, one call of a group after the other; a {@link
 * io.flockgate.roster.RosterStore} keeps the documents, and is in the module of a storage.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
