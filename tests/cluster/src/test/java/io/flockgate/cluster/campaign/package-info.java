/**
 * The fault campaign: many clients, four gateways, three Consul servers, seeded faults, and a check
 * of everything that was observed.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.cluster.campaign;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
