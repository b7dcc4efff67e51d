/**
 * Leases: at most one concurrent holder of a name, for a bounded time that the holder keeps
 * extending.
 *
 * <p>{@link io.flockgate.client.Flockgate} connects to a server and provides {@link
 * io.flockgate.client.Lease}s. Another kind of server is added as a {@link
 * io.flockgate.client.LeaseBackend}.
 */
@NullMarked
package io.flockgate.client;

import org.jspecify.annotations.NullMarked;
