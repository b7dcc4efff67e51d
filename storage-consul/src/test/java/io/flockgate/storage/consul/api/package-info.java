/** Tests of the client of Consul's API, and the stand-in for Consul that other tests use. */
@NullMarked
package io.flockgate.storage.consul.api;

import org.jspecify.annotations.NullMarked;
