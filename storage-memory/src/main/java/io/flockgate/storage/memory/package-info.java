/**
 * Storage in the process: keys in shards, each guarded by its own monitor, and one thread that ends leases on time and
 * forgets idle keys. The rules of a key are {@code io.flockgate.storage.rules}; this package finds the key, keeps the
 * deadlines and tells claimants after it has let go of the monitor.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.memory;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
