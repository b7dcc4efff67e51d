/** Parts of HTTP for back ends that speak it. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.http;

import org.jspecify.annotations.NullMarked;
