/**
 * Options of the command line: their names, the texts and values that they accept, their help, and
 * the reader of arguments. The gateway, each storage and each sub-command declare their own.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.options;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
