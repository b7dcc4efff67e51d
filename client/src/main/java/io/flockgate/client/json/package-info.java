/**
 * A small, strict, bounded reader and writer of JSON. The build copies this package into the Java
 * client's core for its own back ends.
 */
@NullMarked
package io.flockgate.client.json;

import org.jspecify.annotations.NullMarked;
