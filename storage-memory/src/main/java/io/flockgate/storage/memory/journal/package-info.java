/**
 * Append-only files of checked records: the one way in which the memory storage makes something
 * durable that may grow.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
