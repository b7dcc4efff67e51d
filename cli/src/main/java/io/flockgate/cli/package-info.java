/**
 * The sub-commands of {@code flockgate}, clients of a server. They block their own thread. {@link
 * io.flockgate.cli.SubCommands} runs one by its word.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.cli;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
