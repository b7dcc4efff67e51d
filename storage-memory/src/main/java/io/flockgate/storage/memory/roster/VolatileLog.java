package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Roster;
import java.util.HashMap;
import java.util.Map;

/** Rosters that end with the process. */
final class VolatileLog implements RosterLog {
    private volatile Map<String, Roster> rosters = Map.of();

    @Override
    public Map<String, Roster> rosters() {
        return rosters;
    }

    @Override
    public boolean certain() {
        return true;
    }

    @Override
    public void mend() {}

    @Override
    public void append(Map<String, Roster> changed) {
        Map<String, Roster> next = new HashMap<>(rosters);
        next.putAll(changed);
        rosters = Map.copyOf(next);
    }

    @Override
    public void tidy() {}

    @Override
    public void close() {}
}
