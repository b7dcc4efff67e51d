/**
 * Rosters in Consul: one document for each group, changed by check-and-set. Rosters need no
 * sessions, because the slot is held by a machine that reboots, not by a gateway.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
