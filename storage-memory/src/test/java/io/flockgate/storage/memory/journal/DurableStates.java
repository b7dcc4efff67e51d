package io.flockgate.storage.memory.journal;

import io.flockgate.storage.memory.file.DataDirectory;
import java.io.IOException;

/** Opens a state on a disk of a test. */
public final class DurableStates {
    private DurableStates() {}

    /** A state whose clock stands at 1970. */
    public static DurableState on(DataDirectory directory) throws IOException {
        return DurableState.open(null, directory, 0);
    }
}
