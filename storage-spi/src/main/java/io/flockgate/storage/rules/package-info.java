/**
 * The pure rules of one key: capacity, order, leases, promotion. No clock, no threads and no I/O;
 * time is an argument. Not thread safe: the owner of a {@link io.flockgate.storage.rules.KeyState}
 * guards it.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.rules;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
