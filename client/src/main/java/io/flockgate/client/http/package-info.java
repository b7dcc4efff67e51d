/** HTTP support for the back ends that use it. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.http;

import org.jspecify.annotations.NullMarked;
