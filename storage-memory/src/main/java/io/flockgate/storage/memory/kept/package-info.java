/**
 * The grants of the memory storage that outlive the process, and their journal. Independent of
 * shards.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.kept;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
