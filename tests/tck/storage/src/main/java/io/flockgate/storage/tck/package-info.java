/**
 * The storage contract as abstract JUnit classes, which the tests of a storage extend. Independent
 * of any storage.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.tck;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
