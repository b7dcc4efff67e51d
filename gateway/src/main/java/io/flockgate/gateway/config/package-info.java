/**
 * Configuration: the gateway's options, and their values from the command line and the environment.
 * Finds the installed storages and also reads their options, but depends on none of them. Opens
 * nothing but token files.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
