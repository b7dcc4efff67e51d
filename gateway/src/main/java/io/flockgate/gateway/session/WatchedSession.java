package io.flockgate.gateway.session;

import io.flockgate.storage.Claimant;

/** A session as listeners see it. */
public interface WatchedSession extends Claimant {
    /** The name of the client's token; empty where no token is configured. */
    String principal();
}
