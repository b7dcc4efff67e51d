/**
 * Rosters in the process, and the journal that keeps them over restarts. What is told has been written and synced before; one
 * thread decides and writes, many calls at a time.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
