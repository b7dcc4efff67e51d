/**
 * A randomised model of leases: clients with their own clocks and pauses, one server, and a network
 * that loses and delays messages.
 */
@NullMarked
package io.flockgate.client.tck.model;

import org.jspecify.annotations.NullMarked;
