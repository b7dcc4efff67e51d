package io.flockgate.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of keys. A page may have fewer keys than asked for, or none, and still not be the last.
 *
 * @param keys what was found, in the storage's order
 * @param next what to give as {@link KeyQuery#after()} to go on; null at the end
 */
public record KeyPage(List<KeySummary> keys, @Nullable Key next) {
    public KeyPage {
        keys = List.copyOf(keys);
    }
}
