/**
 * Runs the transcripts of {@code protocol-docs} against a server: what they show is what it does,
 * byte for byte.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.transcript;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
