package io.flockgate.roster;

/**
 * What the configuration says at the moment of a decision. Never stored: the next decision may have others.
 *
 * @param slots how many members the group may have, at least 1
 * @param open whether newcomers may join now; members are not asked
 */
public record Terms(long slots, boolean open) {
    public Terms {
        if (slots < 1) {
            throw new IllegalArgumentException("a group has at least one slot");
        }
    }
}
