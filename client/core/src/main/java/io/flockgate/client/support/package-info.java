/**
 * Words, threads and trust for the client's back ends and commands. Not part of the client's public
 * surface.
 */
@NullMarked
package io.flockgate.client.support;

import org.jspecify.annotations.NullMarked;
