/**
 * The sub-command {@code health}: asks the gateway on this host whether it works. It blocks its own
 * thread.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.cli.health;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
