package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    public void granted(WatchedSession session, Grant grant, long waitedNanos) {
        all.add(grant.kind() + (waitedNanos == AT_ONCE ? " at once" : " after " + Duration.ofNanos(waitedNanos)));
    }

    @Override
    public void handedOver(long nanos) {
        all.add("handed over in " + Duration.ofNanos(nanos));
    }

    @Override
    public void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending) {
        all.add(grant.kind() + " " + ending + " after " + Duration.ofNanos(heldNanos));
    }

    @Override
    public void claimed(WatchedSession session, Claim claim, @Nullable Enum<?> refusal) {
        if (refusal != null) {
            all.add("refused: " + refusal);
        }
    }
}
