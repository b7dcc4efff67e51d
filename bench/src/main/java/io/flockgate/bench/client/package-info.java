/** Measurements of the Java client: pairs of acquire and release, and many leases held at once. */
@NullMarked
package io.flockgate.bench.client;

import org.jspecify.annotations.NullMarked;
