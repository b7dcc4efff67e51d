/**
 * The storage contract: a storage's calls, their outcomes and its notifications. Has values and
 * interfaces only. The rules of one key are in {@code rules}; implementations are modules of their
 * own.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
