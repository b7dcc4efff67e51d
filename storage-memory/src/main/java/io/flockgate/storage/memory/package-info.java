/**
 * The storage in the memory of the process: keys in shards, each guarded by its own monitor, and
 * one thread that ends leases and forgets idle keys. The rules of a key are {@code
 * io.flockgate.storage.rules}.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
