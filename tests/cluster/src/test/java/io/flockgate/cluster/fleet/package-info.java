/** A fleet of machines that update themselves while machines and gateways crash. */
@NullMarked
package io.flockgate.cluster.fleet;

import org.jspecify.annotations.NullMarked;
