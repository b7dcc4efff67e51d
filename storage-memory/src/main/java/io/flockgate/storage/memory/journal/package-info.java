/**
 * What the memory storage keeps on disk. {@link
 * io.flockgate.storage.memory.journal.DurableState DurableState} opens it; a {@code Journal} writes
 * the records of grants and of the fence ceiling to a {@code JournalFile}, a {@code FenceStateFile}
 * or both; {@code GrantImage} is what all records amount to.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.journal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
