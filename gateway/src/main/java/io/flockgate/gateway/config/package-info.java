/**
 * Configuration: the table of settings, and what the command line and the environment make of it. Knows nothing of
 * Vert.x or of any storage; the one thing it opens is the token file.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
