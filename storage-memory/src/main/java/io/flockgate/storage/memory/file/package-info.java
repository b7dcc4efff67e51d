/** Files that one process at a time has open: the lock on them, and what is done with a locked file. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
