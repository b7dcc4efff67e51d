package io.flockgate.roster;

import java.util.OptionalLong;

/**
 * Who is to leave.
 *
 * @param id the member's name
 * @param fence leave only if the member has this one: it may have left and joined again since somebody looked
 */
public record Departure(String id, OptionalLong fence) {
    /** Of whoever has this name. */
    public static Departure of(String id) {
        return new Departure(id, OptionalLong.empty());
    }
}
