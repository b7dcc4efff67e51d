/** Meters that all tools of the bench share. */
@NullMarked
@CheckReturnValue
package io.flockgate.bench;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
