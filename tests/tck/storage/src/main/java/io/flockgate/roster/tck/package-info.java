/**
 * The test kit for storages of rosters. Tests of a storage extend {@link
 * io.flockgate.roster.tck.RosterContract} and open the storage.
 */
@NullMarked
package io.flockgate.roster.tck;

import org.jspecify.annotations.NullMarked;
