/**
 * Options of the command line: their names, the texts and values that they take, and what help says
 * of them. The gateway and each storage declare their own.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.options;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
