/** Sub-commands: they ask a running server, print what it says, and end. They block their own thread. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
