/**
 * The storage contract as abstract JUnit classes, which the tests of a storage extend. Knows no
 * storage.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.tck;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
