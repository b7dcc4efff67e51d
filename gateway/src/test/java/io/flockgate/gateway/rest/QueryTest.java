package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rest.KeysQuery.KeyOrder;
import io.flockgate.gateway.rest.OperatorRoutes.OperatorReason;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.ClientEvent;
import io.flockgate.gateway.session.ClientEvent.EventType;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyFilter.ClientFilter;
import io.flockgate.storage.Kind;
import io.flockgate.text.PercentEncoding;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The query of a target: its parameters, and what lists, events and orders take from it. */
class QueryTest {
    @Test
    void valuesAreDecodedAndTheLastOneCounts() {
        Query query = Query.parse("reason=a&reason=%C3%A4+b&force");
        assertThat(query.text("reason")).isEqualTo("\u00e4 b");
        assertThat(query.bytes("reason")).isEqualTo("\u00e4+b".getBytes(UTF_8));
        assertThat(query.text("force")).isEmpty();
        assertThat(query.text("fence")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown=%ff | : unknown must be UTF-8, percent-encoded",
                "reason=%ff | : reason must be UTF-8, percent-encoded",
                "force=true&reason=%C3 | : reason must be UTF-8, percent-encoded",
                "reason=%2 | : reason must be percent-encoded",
                "limit=1&prefix=%x | : prefix must be percent-encoded",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=%x | ''",
                "%ff=x | ''",
                "<img>=%f | ''"
            })
    void aFaultNamesTheParameter(String text, String named) {
        assertThatThrownBy(() -> Query.parseText(text))
                .isInstanceOf(FaultException.class)
                .hasMessage("malformed query" + named);
    }

    private static KeyFilter filter(String query) {
        return KeysQuery.parse(query).query().filter();
    }

    @Test
    void otherParametersAreNoConditions() {
        for (String query : new String[] {null, "", "limit=7", "unknown=1&limit=7", "prefix="}) {
            assertThat(filter(query)).isEqualTo(KeyFilter.NONE);
        }
    }

    @Test
    void eachParameterIsACondition() {
        assertThat(filter("kind=lock")).isEqualTo(new KeyFilter(Kind.LOCK, null, null, 0, 0, null));
        assertThat(filter("kind=semaphore")).isEqualTo(new KeyFilter(Kind.SEMAPHORE, null, null, 0, 0, null));
        assertThat(filter("held=true&waiting=false")).isEqualTo(new KeyFilter(null, true, false, 0, 0, null));
        assertThat(filter("held=false&waiting=true")).isEqualTo(new KeyFilter(null, false, true, 0, 0, null));
        assertThat(filter("name=ci-%C3%BC&address=%5B2001:db8::7%5D:1&gateway=gate-1"))
                .isEqualTo(new KeyFilter(
                        null, null, null, 0, 0, new ClientFilter("ci-\u00fc", "[2001:db8::7]:1", "gate-1")));
        assertThat(filter("name=a+b"))
                .isEqualTo(new KeyFilter(null, null, null, 0, 0, new ClientFilter("a+b", null, null)));
        assertThat(filter("held=true&held=false").held()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "0.000000001, 1",
        "1, 1000000000",
        "300.5, 300500000000",
        "9223372036, 9223372036000000000",
        "0000000001, 1000000000"
    })
    void agesAreSeconds(String seconds, long nanos) {
        assertThat(filter("held_longer_than_s=" + seconds).minHeldNanos()).isEqualTo(nanos);
    }

    @Test
    void anOrderIsKnownByItsName() {
        assertThat(KeysQuery.parse("sort=longest_hold").order()).isEqualTo(KeyOrder.LONGEST_HOLD);
        assertThat(KeysQuery.parse("sort=longest_queue&limit=5").order()).isEqualTo(KeyOrder.LONGEST_QUEUE);
        assertThat(KeysQuery.parse("limit=5").order()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind=",
                "kind=mutex",
                "kind=LOCK",
                "held",
                "held=1",
                "waiting=yes",
                "waiting=",
                "held_longer_than_s=",
                "held_longer_than_s=-1",
                "held_longer_than_s=1e3",
                "held_longer_than_s=.5",
                "held_longer_than_s=5.",
                "held_longer_than_s=9223372036.1",
                "held_longer_than_s=99999999999",
                "held_longer_than_s=1.0000000001",
                "name=",
                "name=%FF",
                "address=",
                "gateway=%80",
                "sort=",
                "sort=shortest",
                "sort=longest_hold&after=cG9vbA",
                "limit=0",
                "name=%zz"
            })
    void otherValuesAreRefused(String query) {
        assertThatThrownBy(() -> KeysQuery.parse(query)).isInstanceOf(FaultException.class);
    }

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

    private static String reason(String text, boolean required) {
        return OperatorReason.of(Query.parse("reason=" + PercentEncoding.of(text, UTF_8)), required);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "\u00a0", "\u200b", "\u2800", "\u3164", "\u0000", "\u202e\u2066", "\u0301", "\ue000"})
    void whatShowsNothingIsNoReason(String text) {
        assertThatThrownBy(() -> reason(text, true)).hasMessageStartingWith("reason required");
        assertThat(reason(text, false)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk", "\u200bx", "\u4fee", "!", "\ud83d\udd27"})
    void oneVisibleCharacterSuffices(String text) {
        assertThat(reason(text, true)).isEqualTo(text);
    }
}
