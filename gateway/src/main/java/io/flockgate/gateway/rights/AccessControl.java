package io.flockgate.gateway.rights;

import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.log.Audit.Actor;

/** The check of clients' tokens, and the log of what they were refused. Thread safe. */
public record AccessControl(Authenticator authenticator, Audit audit) {
    /**
     * Notes that the rights of a token do not suffice.
     *
     * @param peer the client's address and port
     * @param object the key, group or session
     */
    public void refused(Principal principal, Object peer, String action, Object object) {
        audit.refused(
                new Actor(principal.name(), peer),
                action,
                line -> object.equals("") ? line : line.addKeyValue("object", object));
    }
}
