/**
 * The sub-commands of {@code flockgate}, which are clients of a server. They block their own
 * thread. {@link io.flockgate.cli.SubCommands} runs one by its name.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.cli;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
