package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Records the events of sessions as text. */
final class RecordedEvents implements SessionEvents {
    private final List<String> all = Collections.synchronizedList(new ArrayList<>());

    /** The events since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(all);
        all.clear();
        return taken;
    }

    @Override
    public void grantedAtOnce(Claimant session, Grant grant) {
        all.add(grant.kind() + " at once");
    }

    @Override
    public void grantedAfter(Claimant session, Grant grant, long waitedNanos) {
        all.add(grant.kind() + " after " + Duration.ofNanos(waitedNanos));
    }

    @Override
    public void handedOver(long nanos) {
        all.add("handed over in " + Duration.ofNanos(nanos));
    }

    @Override
    public void ended(Claimant session, Grant grant, long heldNanos, Ending ending) {
        all.add(grant.kind() + " " + ending + " after " + Duration.ofNanos(heldNanos));
    }

    @Override
    public void refused(Claimant session, Claim claim, Enum<?> reason) {
        all.add("refused: " + reason);
    }
}
