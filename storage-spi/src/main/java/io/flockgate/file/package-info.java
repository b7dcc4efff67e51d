/** Files that survive a crash of the machine. */
@NullMarked
@CheckReturnValue
package io.flockgate.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
