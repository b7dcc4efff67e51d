/** The sub-commands that hold a lease: {@code run} and {@code lock}. */
@NullMarked
@CheckReturnValue
package io.flockgate.cli.run;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
