/**
 * The fault campaign: many clients, three gateways, three Consul servers, seeded faults, and a
 * check of all that was seen.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.cluster.campaign;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
