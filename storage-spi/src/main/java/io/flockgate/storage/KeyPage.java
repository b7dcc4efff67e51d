package io.flockgate.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the list of keys. A page with fewer keys than requested, or none, is not necessarily
 * the last.
 *
 * @param keys the keys found, in the storage's order
 * @param details the oldest holders and the first waiters of the same keys, up to {@link
 *     KeyQuery#clients()} of each; empty if that is 0
 * @param next the {@link KeyQuery#after()} of the next page; null at the end
 */
public record KeyPage(
        List<KeySummary> keys,
        List<KeyDetail> details,
        @Nullable Key next) {
    public KeyPage {
        keys = List.copyOf(keys);
        details = List.copyOf(details);
    }

    /** A page without details. */
    public KeyPage(List<KeySummary> keys, @Nullable Key next) {
        this(keys, List.of(), next);
    }
}
