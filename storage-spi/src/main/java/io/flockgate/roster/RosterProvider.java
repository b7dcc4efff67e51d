package io.flockgate.roster;

import io.vertx.core.Future;

/** One kind of storage for rosters, found by {@link java.util.ServiceLoader}. */
public interface RosterProvider {
    /** What {@code --storage} calls it. */
    String name();

    /** Opens a storage. Settings that cannot work fail the future with a message for the operator. */
    Future<RosterStorage> open(RosterSettings settings);
}
