/**
 * Named tokens and what they may do: the file of tokens, rights, and the check of a secret. Knows
 * no protocol.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.rights;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
