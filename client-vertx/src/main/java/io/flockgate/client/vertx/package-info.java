/** Leases as futures of Vert.x: {@link io.flockgate.client.vertx.VertxLeases}. */
@NullMarked
package io.flockgate.client.vertx;

import org.jspecify.annotations.NullMarked;
