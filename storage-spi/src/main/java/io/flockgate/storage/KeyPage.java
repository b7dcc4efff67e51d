package io.flockgate.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of keys. A page with fewer keys than asked for, or none, is not always the last.
 *
 * @param keys the keys found, in the storage's order
 * @param next the {@link KeyQuery#after()} of the next page; null at the end
 */
public record KeyPage(List<KeySummary> keys, @Nullable Key next) {
    public KeyPage {
        keys = List.copyOf(keys);
    }
}
