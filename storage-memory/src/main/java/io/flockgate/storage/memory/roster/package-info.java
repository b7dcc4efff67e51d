/**
 * Rosters in the process, and the file that keeps them across restarts. One thread decides and
 * writes many calls at a time, and answers them once the file is durable.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
