/** The statistics document that the line protocol and the REST API have in common. */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.stats;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
