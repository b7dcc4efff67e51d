/** A fleet of machines that update themselves, with everything that can crash among them. */
@NullMarked
package io.flockgate.cluster.fleet;

import org.jspecify.annotations.NullMarked;
