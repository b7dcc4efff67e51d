/**
 * The storage contract: a storage's calls, their outcomes and its notifications. Contains only
 * values and interfaces. The rules of one key are in {@code rules}; implementations are separate
 * modules.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
