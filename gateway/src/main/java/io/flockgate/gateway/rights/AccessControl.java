package io.flockgate.gateway.rights;

import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.storage.Key;
import org.slf4j.spi.LoggingEventBuilder;

/** The check of clients' tokens, and the audit log of refusals. Thread safe. */
public record AccessControl(Authenticator authenticator, Audit audit) {
    /**
     * Logs that the rights of a token are insufficient.
     *
     * @param peer the client's address and port
     * @param object the key or its bytes, the group, or the session; empty for none
     */
    public void refused(Principal principal, Object peer, String action, Object object) {
        audit.refused(new Actor(principal.name(), peer), action, line -> named(line, object));
    }

    private static LoggingEventBuilder named(LoggingEventBuilder line, Object object) {
        return switch (object) {
            case byte[] bytes -> bytes.length == 0 ? line : Audit.exact(line, "object", bytes);
            case Key key -> Audit.exact(line, "object", key.toBytes());
            default -> object.equals("") ? line : line.addKeyValue("object", object);
        };
    }
}
