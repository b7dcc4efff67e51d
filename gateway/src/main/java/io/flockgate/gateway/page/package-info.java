/** The page for operators: static files. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.page;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
