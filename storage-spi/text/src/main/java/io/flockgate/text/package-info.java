/** Handles text from outside: it is read strictly, and written so that it cannot break a line. */
@NullMarked
@CheckReturnValue
package io.flockgate.text;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
