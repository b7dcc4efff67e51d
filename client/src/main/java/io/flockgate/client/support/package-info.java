/** Support shared by the back ends. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.support;

import org.jspecify.annotations.NullMarked;
