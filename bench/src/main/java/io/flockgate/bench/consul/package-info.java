/** What Flockgate over Consul costs: entries of Consul's log, hand-overs, crashes, many keys. With processes for gateways. */
@NullMarked
@CheckReturnValue
package io.flockgate.bench.consul;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
