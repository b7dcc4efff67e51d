package io.flockgate.client.consul;

import io.flockgate.consul.format.ClientMark;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Identifies this client in marks and tickets, for operators only (protocol-docs/consul-layout.md,
 * "Clients").
 *
 * @param name the name that the user has given; null without one
 */
record ClientField(@Nullable String name, InstantSource clock) {
    /** The mark of this client, now. */
    ClientMark mark() {
        return new ClientMark(
                0, ClientMark.Via.CONSUL, name, null, null, clock.instant().getEpochSecond());
    }
}
