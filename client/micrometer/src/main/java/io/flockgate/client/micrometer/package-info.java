/** Meters of leases: {@link io.flockgate.client.micrometer.LeaseMetrics}. */
@NullMarked
package io.flockgate.client.micrometer;

import org.jspecify.annotations.NullMarked;
