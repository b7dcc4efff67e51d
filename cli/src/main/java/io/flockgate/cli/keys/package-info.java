/** The sub-commands that show keys, and those that release and renew by token. */
@NullMarked
@CheckReturnValue
package io.flockgate.cli.keys;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
