package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.consul.format.ClientMark;
import org.jspecify.annotations.Nullable;

/**
 * The client of a grant that this gateway has taken over. It is known only by its token, so it
 * learns of the grant's end at its next renewal here, or from the gateway that made the grant.
 *
 * @param mark null when the grant's mark does not name it
 */
record RenewingClient(@Nullable ClientMark mark) implements Claimant {
    @Override
    public long id() {
        return mark == null ? 0 : mark.id();
    }

    @Override
    public ClientDescription description() {
        return mark == null ? ClientDescription.UNKNOWN : mark.description();
    }

    @Override
    public void granted(Ticket ticket, Grant grant) {}

    @Override
    public void removed(Ticket ticket) {}

    @Override
    public void ended(Grant grant, Ending ending) {}
}
