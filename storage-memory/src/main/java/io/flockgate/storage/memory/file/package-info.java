/**
 * Files that only one process at a time may have open: their lock, and the operations on a locked
 * file.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
