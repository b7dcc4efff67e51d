/**
 * The storage contract and its vocabulary: what a gateway may ask of a storage and what it can be told. Holds values
 * and interfaces only; the rules of one key live in {@code rules}, implementations in modules of their own.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
