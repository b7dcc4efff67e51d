package io.flockgate.storage.consul;

import io.flockgate.storage.consul.format.SharedSettings;
import java.util.ArrayList;
import java.util.List;

/** Finds the settings of a gateway that differ from those of its cluster. */
final class SettingsDifferences {
    private SettingsDifferences() {}

    /** The settings that differ, each with both values; empty when none do. */
    static List<String> of(SharedSettings mine, SharedSettings recorded) {
        List<String> differences = new ArrayList<>();
        if (mine.fenceBase() != recorded.fenceBase()) {
            differences.add(
                    "--consul-fence-base is " + mine.fenceBase() + " here and " + recorded.fenceBase() + " there");
        }
        if (!mine.holders().equals(recorded.holders())) {
            differences.add("--consul-holders is " + mine.holders() + " here and " + recorded.holders() + " there");
        }
        if (!mine.map().equals(recorded.map())) {
            differences.add("--consul-map has the hash " + mine.map() + " here and " + recorded.map() + " there");
        }
        return differences;
    }
}
