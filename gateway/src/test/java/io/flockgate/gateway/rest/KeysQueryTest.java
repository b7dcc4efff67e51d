package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rest.KeysQuery.KeyOrder;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyFilter.ClientFilter;
import io.flockgate.storage.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysQueryTest {
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
}
