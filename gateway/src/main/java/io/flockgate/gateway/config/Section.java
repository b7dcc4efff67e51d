package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import java.util.List;

/** Options that the help lists under one heading. */
record Section(String title, List<Option<?>> options) {
    Section {
        options = List.copyOf(options);
    }
}
