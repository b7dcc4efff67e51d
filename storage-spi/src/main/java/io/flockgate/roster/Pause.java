package io.flockgate.roster;

import java.time.Instant;

/**
 * An operator's order to admit no further newcomers to a group.
 *
 * @param since the time of the first such order
 * @param reason the operator's words; may be empty
 */
public record Pause(Instant since, String reason) {}
