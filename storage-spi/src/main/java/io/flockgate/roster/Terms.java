package io.flockgate.roster;

/**
 * The configuration of a group at the moment of a decision. It is never stored, because the next
 * decision may have other terms.
 *
 * @param slots the maximum number of members of the group, at least 1
 * @param open whether newcomers may join now; members are not affected
 */
public record Terms(long slots, boolean open) {
    public Terms {
        if (slots < 1) {
            throw new IllegalArgumentException("a group has at least one slot");
        }
    }
}
