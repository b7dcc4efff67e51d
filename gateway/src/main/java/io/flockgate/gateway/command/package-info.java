/**
 * Sub-commands: each asks a running server, prints the response and ends. It blocks its own thread.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
