/**
 * Configuration: the gateway's options, and their values from the command line and the environment.
 * Finds the storages that are installed and reads their options too, but knows none of them. Opens
 * nothing but token files.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
