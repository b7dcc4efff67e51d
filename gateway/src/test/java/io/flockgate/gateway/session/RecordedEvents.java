package io.flockgate.gateway.session;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;
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
    public void grantedAtOnce(Kind kind) {
        all.add(kind + " at once");
    }

    @Override
    public void grantedAfter(Kind kind, long waitedNanos) {
        all.add(kind + " after " + Duration.ofNanos(waitedNanos));
    }

    @Override
    public void handedOver(long nanos) {
        all.add("handed over in " + Duration.ofNanos(nanos));
    }

    @Override
    public void ended(Kind kind, long heldNanos, Ending ending) {
        all.add(kind + " " + ending + " after " + Duration.ofNanos(heldNanos));
    }

    @Override
    public void refused(Refusal refusal) {
        all.add("refused: " + refusal);
    }
}
