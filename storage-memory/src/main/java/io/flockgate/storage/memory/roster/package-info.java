/** Stores of rosters: in the process, and in a file for each group, which outlives it. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
