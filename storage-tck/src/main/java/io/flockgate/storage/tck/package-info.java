/**
 * What every storage must do, as abstract JUnit classes to be extended by the tests of a storage. Knows the contract
 * only, and no storage.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.tck;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
