/** Leases over the REST API. Not part of the client's public surface. */
@NullMarked
package io.flockgate.client.rest;

import org.jspecify.annotations.NullMarked;
