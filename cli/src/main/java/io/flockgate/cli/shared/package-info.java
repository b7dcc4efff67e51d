/** What the sub-commands share: options, connections to servers, tables. */
@NullMarked
@CheckReturnValue
package io.flockgate.cli.shared;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
