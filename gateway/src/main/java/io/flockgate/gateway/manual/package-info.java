/**
 * Generates man pages and shell completions from the help texts of the commands. Runs when a
 * distribution is built.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.manual;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
