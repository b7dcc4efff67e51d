package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.storage.Key;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RightsTest {
    /** A right, a key or group, and what a token with that right alone may do with it. */
    @ParameterizedTest
    @CsvSource({
        "lock:ci/*, ci/job, lock",
        "lock:ci/*, ci/, lock",
        "lock:ci/*, ci, ''",
        "lock:ci/*, prod/ci/, ''",
        "lock:ci/*, CI/job, ''",
        "lock:job, job, lock",
        "lock:job, job2, ''",
        "lock:job, jo, ''",
        "lock:*, anything, lock",
        "lock:é*, élan, lock",
        "read:ci/*, ci/job, read",
        "read:ci/*, prod/job, ''",
        "read:job, job, read",
        "read:job, job2, ''",
        "read, anything, read",
        "read:*, anything, read",
        "metrics, ci/job, ''",
        "operate, ci/job, ''",
        "fleetlock:workers, workers, fleetlock",
        "fleetlock:workers, workers2, ''",
        "fleetlock:*, workers, fleetlock",
        "all, workers, lock read fleetlock",
    })
    void aRightIsForItsKeysOrGroupOnly(String right, String object, String may) {
        Rights rights = Rights.of(List.of(right));
        List<String> allowed = List.of(may.split(" "));
        assertThat(rights.mayLock(Key.of(object))).isEqualTo(allowed.contains("lock"));
        assertThat(rights.mayRead(Key.of(object))).isEqualTo(allowed.contains("read"));
        assertThat(rights.mayUseGroup(object)).isEqualTo(allowed.contains("fleetlock"));
    }

    @Test
    void rightsAddUpAndNothingComesWithoutBeingNamed() {
        Rights some = Rights.of(List.of("lock:a", "lock:b*", "metrics"));
        assertThat(some.mayLock(Key.of("a"))).isTrue();
        assertThat(some.mayLock(Key.of("bc"))).isTrue();
        assertThat(some.mayLock(Key.of("c"))).isFalse();
        assertThat(some.mayLockSomething()).isTrue();
        assertThat(some.mayReadMetrics()).isTrue();
        assertThat(some.mayOperate()).isFalse();
        assertThat(some.mayReadSomething()).isFalse();
        assertThat(some.mayReadEverything()).isFalse();
        Rights operator = Rights.of(List.of("operate"));
        assertThat(operator.mayOperate()).isTrue();
        assertThat(operator.mayReadMetrics()).isFalse();
        assertThat(operator.mayLockSomething()).isFalse();
    }

    @Test
    void allIsEverythingAndNoneIsNothing() {
        for (Rights rights : List.of(Rights.ALL, Rights.of(List.of("metrics", "all")))) {
            assertThat(rights.mayReadEverything()).isTrue();
            assertThat(rights.mayReadMetrics()).isTrue();
            assertThat(rights.mayOperate()).isTrue();
            assertThat(rights.mayLockSomething()).isTrue();
        }
        assertThat(Rights.NONE.mayLockSomething()).isFalse();
        assertThat(Rights.NONE.mayReadSomething()).isFalse();
        assertThat(Rights.NONE.mayReadMetrics()).isFalse();
        assertThat(Rights.NONE.mayOperate()).isFalse();
        assertThat(Rights.NONE.mayUseGroup("g")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lock | the right lock needs keys: lock:* for all of them",
                "fleetlock | the right fleetlock needs a group: fleetlock:* for all of them",
                "loc:ci/* | unknown right \"loc:ci/*\": did you mean lock:? (rights are",
                "operat | unknown right \"operat\": did you mean operate? (rights are",
                "ALL | unknown right \"ALL\" (rights are",
                "metrics:x | unknown right \"metrics:x\"",
                "all:x | unknown right \"all:x\"",
                "lock: | the right \"lock:\" names no keys",
                "lock:a*b | the right \"lock:a*b\" names no keys: a * may only be the last character",
                "lock:a** | the right \"lock:a**\" names no keys: a * may only",
                "read:a b | the right \"read:a b\" names no keys: a key has 1 to 256 bytes",
                "fleetlock:a/b | the right \"fleetlock:a/b\" names no group",
                "fleetlock:a* | the right \"fleetlock:a*\" names no group",
                "fleetlock: | the right \"fleetlock:\" names no group",
            })
    void whatIsNoRightIsRefusedWithWords(String right, String words) {
        assertThatThrownBy(() -> Rights.of(List.of("metrics", right)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(words);
    }

    @Test
    void halfASurrogatePairIsNoText() {
        for (String right : List.of("lock:\ud800x*", "read:\udc00", "lock:a\ud800")) {
            assertThatThrownBy(() -> Rights.of(List.of(right)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
        }
        assertThat(Rights.of(List.of("lock:\ud83d\ude00*")).mayLockSomething()).isTrue();
    }

    @Test
    void aPatternHasRoomForTheLongestKeyAndNoMore() {
        String longest = "x".repeat(256);
        assertThat(Rights.of(List.of("lock:" + longest)).mayLock(Key.of(longest)))
                .isTrue();
        assertThatThrownBy(() -> Rights.of(List.of("lock:" + longest + "x*"))).hasMessageContaining("1 to 256 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        // rights → requested prefix → prefix to inspect, '-' for none
        "read:ci/*, '', ci/",
        "read:ci/*, c, ci/",
        "read:ci/*, ci/a, ci/a",
        "read:ci/*, prod/, -",
        "read:job, '', job",
        "read:job, job, job",
        "read:job, job2, -",
        "read:ci/* read:prod/*, '', ''",
        "read:ci/* read:prod/*, prod/, prod/",
        "read:ci/* read:prod/*, p, prod/",
        "read:ci/* read:cd/*, c, c",
        "lock:*, '', -",
    })
    void aListingLooksNoFurtherThanItMust(String rights, String prefix, String narrowed) {
        byte[] found = Rights.of(List.of(rights.split(" "))).readable(prefix.getBytes(StandardCharsets.UTF_8));
        assertThat(found == null ? "-" : new String(found, StandardCharsets.UTF_8))
                .isEqualTo(narrowed);
    }
}
