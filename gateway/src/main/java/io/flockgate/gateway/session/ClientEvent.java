package io.flockgate.gateway.session;

import io.flockgate.storage.ClientView;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An event of a client or an order of an operator, for operators who watch. Immutable.
 *
 * @param millis the time of day in milliseconds since 1970
 * @param client null if the event is not about a client, or the client is not known
 * @param key null if the event is about a session or the gateway as a whole
 * @param kind null if it is not known
 * @param fence the fence of the grant; 0 without one
 * @param limit the new limit of a semaphore; 0 if it has not changed
 * @param reason the reason for a refusal or given by an operator; null without one
 */
public record ClientEvent(
        EventType type,
        long millis,
        @Nullable ClientView client,
        @Nullable Key key,
        @Nullable Kind kind,
        long fence,
        long limit,
        @Nullable String reason) {
    public enum EventType {
        GRANTED,
        QUEUED,
        RELEASED,
        EXPIRED,
        LOST,
        SET_FREE,
        REMOVED,
        LIMIT_CHANGED,
        REFUSED,
        SESSION_BEGAN,
        SESSION_ENDED,
        DRAINED,
        UNDRAINED;

        /** The word for it in answers. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static EventType of(Ending ending) {
            return switch (ending) {
                case RELEASED -> RELEASED;
                case EXPIRED -> EXPIRED;
                case EVICTED, LOST -> LOST;
            };
        }
    }
}
