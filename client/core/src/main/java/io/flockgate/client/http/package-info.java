/** Trust for TLS, and words for failures. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.http;

import org.jspecify.annotations.NullMarked;
