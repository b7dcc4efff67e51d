/** Threads for the client's back ends. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.concurrent;

import org.jspecify.annotations.NullMarked;
