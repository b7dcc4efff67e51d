/**
 * A randomised model of leases: clients with clocks and pauses of their own, one server, and a
 * network that loses and delays.
 */
@NullMarked
package io.flockgate.client.tck.model;

import org.jspecify.annotations.NullMarked;
