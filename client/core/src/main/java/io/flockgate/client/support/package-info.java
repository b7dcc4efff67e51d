/** The words of a gateway: its refusals and its tokens. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.support;

import org.jspecify.annotations.NullMarked;
