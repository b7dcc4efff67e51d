/**
 * The source of tokens of the memory storage: the fence counter, the file that keeps its ceiling over restarts, and the
 * pool of random salts. Knows no key, holder or event loop; the only code here that touches a disk runs at start-up and
 * on one background thread.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.fence;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
