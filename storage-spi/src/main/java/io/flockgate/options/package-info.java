/**
 * Options of the command line: their names, the texts and values that they accept, and their help.
 * The gateway and each storage declare their own.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.options;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
