/**
 * Rosters in Consul: one document for each group, changed by check-and-set. No session has a part in it: who holds a slot is a
 * machine that reboots, not a gateway that lives.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.roster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
