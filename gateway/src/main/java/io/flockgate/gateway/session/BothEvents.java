package io.flockgate.gateway.session;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;

/** Passes each event to two listeners. */
record BothEvents(SessionEvents first, SessionEvents second) implements SessionEvents {
    @Override
    public boolean wantsTimes() {
        return first.wantsTimes() || second.wantsTimes();
    }

    @Override
    public void granted(WatchedSession session, Grant grant) {
        first.granted(session, grant);
        second.granted(session, grant);
    }

    @Override
    public void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending) {
        first.ended(session, grant, heldNanos, ending);
        second.ended(session, grant, heldNanos, ending);
    }

    @Override
    public void grantedAtOnce(Kind kind) {
        first.grantedAtOnce(kind);
        second.grantedAtOnce(kind);
    }

    @Override
    public void grantedAfter(Kind kind, long waitedNanos) {
        first.grantedAfter(kind, waitedNanos);
        second.grantedAfter(kind, waitedNanos);
    }

    @Override
    public void handedOver(long nanos) {
        first.handedOver(nanos);
        second.handedOver(nanos);
    }

    @Override
    public void ended(Kind kind, long heldNanos, Ending ending) {
        first.ended(kind, heldNanos, ending);
        second.ended(kind, heldNanos, ending);
    }

    @Override
    public void refused(Refusal refusal) {
        first.refused(refusal);
        second.refused(refusal);
    }

    @Override
    public void refused(ClientRefusal refusal) {
        first.refused(refusal);
        second.refused(refusal);
    }
}
