/**
 * What one key goes through on this gateway: claims, grants, waits, releases, leases, and what is seen of other gateways. All
 * that happens to a key happens in turn, on a virtual thread that may block.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
