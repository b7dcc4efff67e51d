/** A small, strict reader and writer of JSON for back ends that speak it. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.json;

import org.jspecify.annotations.NullMarked;
