package io.flockgate.gateway.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.options.Option;
import java.util.ArrayList;
import java.util.List;

/**
 * Options that the help lists under one heading. Changes only while the class that declares it is
 * initialized.
 */
record Section(String title, List<Option<?>> options) {
    Section(String title) {
        this(title, new ArrayList<>());
    }

    /** Adds an option, and returns it. */
    @CanIgnoreReturnValue
    <T> Option<T> add(Option<T> option) {
        options.add(option);
        return option;
    }
}
