package io.flockgate.roster;

import java.time.Instant;

/**
 * An operator's order to let no more newcomers into a group.
 *
 * @param since when it was first given
 * @param reason the operator's words; may be empty
 */
public record Pause(Instant since, String reason) {}
