/**
 * What every storage for rosters must do, as a test kit: extend {@link io.flockgate.roster.tck.RosterContract} and say how
 * the storage is opened.
 */
@NullMarked
package io.flockgate.roster.tck;

import org.jspecify.annotations.NullMarked;
