/**
 * The rules of one key, as plain code: capacity, order, leases, promotion. No clock, no thread, no I/O; time is an
 * argument. Not thread safe: whoever keeps a {@link io.flockgate.storage.rules.KeyState} guards it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.rules;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
