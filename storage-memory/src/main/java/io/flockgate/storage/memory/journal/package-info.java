/**
 * Append-only files of checked records: the only way in which the memory storage makes growing data
 * durable.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
