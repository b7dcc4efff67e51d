package io.flockgate.storage.memory.file;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.nio.file.Path;
import java.util.Optional;

/** The option that names the directory of all journals. */
public final class DataDirOption {
    /** Without it, everything ends with the process. */
    public static final Option<Optional<Path>> DATA_DIR = Option.of(
                    "data-dir", "FLOCKGATE_DATA_DIR", OptionType.FILE, "", Rule.any("a path"))
            .help("Directory in which the storage memory keeps what must survive a restart: grants that do not end"
                    + " with a connection, HTTP sessions that hold something, fences, and the holders of"
                    + " FleetLock's slots.");

    private DataDirOption() {}
}
