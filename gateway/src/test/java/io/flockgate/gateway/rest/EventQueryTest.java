package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventQueryTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // query | right | type of the event | its key | whether it matches
                "''                         |           | granted       | k        | true",
                "''                         |           | session_began |          | true",
                "prefix=ci%2F               |           | granted       | ci/build | true",
                "prefix=ci%2F               |           | granted       | ci       | false",
                "prefix=ci%2F               |           | granted       | prod/ci/ | false",
                "prefix=ci%2F               |           | session_began |          | false",
                "type=granted,session_began |           | granted       | k        | true",
                "type=granted,session_began |           | session_began |          | true",
                "type=granted,session_began |           | queued        | k        | false",
                "key=ci%2F                  |           | granted       | ci/      | true",
                "key=ci%2F                  |           | granted       | ci/build | false",
                "key=ci%2F                  |           | session_began |          | false",
                "''                         | read:mine | granted       | mine     | true",
                "''                         | read:mine | granted       | theirs   | false",
                "''                         | read:mine | session_began |          | false"
            })
    void matchesKeysAndTypesThatTheClientWantsAndMayRead(
            String query, @Nullable String right, String type, @Nullable String key, boolean matches) {
        Rights rights = right == null ? null : Rights.of(List.of(right));
        ClientEvent event = new ClientEvent(
                EventType.valueOf(type.toUpperCase(Locale.ROOT)),
                0,
                null,
                key == null ? null : Key.of(key),
                Kind.LOCK,
                0,
                0,
                null);
        assertThat(EventQuery.parse(query, rights).matches(event)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"last=201", "last=-1", "last=", "last=x", "key=", "type=", "type=granted,nothing"})
    void aWrongKeyNumberOrTypeIsRefused(String query) {
        assertThatThrownBy(() -> EventQuery.parse(query, null)).isInstanceOf(FaultException.class);
    }
}
