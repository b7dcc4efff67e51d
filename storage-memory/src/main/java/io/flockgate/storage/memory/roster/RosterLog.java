package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Roster;
import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/** The rosters that stand, and how they are changed for good. For one thread, but for {@link #rosters}. */
interface RosterLog extends Closeable {
    /** What is durable, by group. Any thread. */
    Map<String, Roster> rosters();

    /** Whether the next start is sure to find {@link #rosters} and nothing else. */
    boolean certain();

    /** Makes it certain, and ready for {@link #append}; does nothing where it is. */
    void mend() throws IOException;

    /** Replaces the rosters of these groups, durably. After a failure they are as before, and may come back if not {@link #certain}. */
    void append(Map<String, Roster> changed) throws IOException;

    /** Gives back space; called when nobody waits for an answer. */
    void tidy() throws IOException;
}
