/**
 * The token generator of the memory storage: the fence counter, the store that keeps its ceiling
 * across restarts, and the pool of random salts. Independent of keys, holders and event loops. Only
 * start-up and one background thread touch a disk.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory.fence;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
