package io.flockgate.roster;

import java.util.OptionalLong;

/**
 * A request that a member leaves.
 *
 * @param id the member's id
 * @param fence a condition: the member leaves only with this fence, because it may have left and
 *     joined again meanwhile
 */
public record Departure(String id, OptionalLong fence) {
    /** The departure of the member with this id, whatever its fence. */
    public static Departure of(String id) {
        return new Departure(id, OptionalLong.empty());
    }
}
