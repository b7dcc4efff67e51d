package io.flockgate.gateway.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.ScriptedStorage.FakeGrant;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyBufferTest {
    private static final Grant GRANT =
            new FakeGrant(Key.of("job"), Kind.LOCK, 0x00ab_cdef_0123_4567L, 0xfedc_ba98_7654_3210L, 0);
    private static final String TOKEN = "00abcdef01234567fedcba9876543210";

    private final ReplyBuffer replies = new ReplyBuffer();

    private String taken() {
        StringBuilder all = new StringBuilder();
        replies.moveTo((bytes, length) -> all.append(new String(bytes, 0, length, US_ASCII)));
        return all.toString();
    }

    @Test
    void eachPlainReplyIsItsWordAndOneLf() {
        for (ReplyWord word : ReplyWord.values()) {
            assertThat(replies.add(word)).isEqualTo(word);
        }
        assertThat(taken()).isEqualTo("""
                        ok
                        acquired
                        queued
                        timeout
                        error
                        error_auth
                        error_not_held
                        error_max_locks
                        error_max_holders
                        error_max_holders_per_client
                        error_max_waiters
                        error_max_enqueued
                        error_max_enqueued_per_client
                        error_limit_mismatch
                        error_not_enqueued
                        error_already_enqueued
                        error_lease_expired
                        error_draining
                        """);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 9, 10, 33, 99, 100, 1_000_000_000, Claim.MAX_SECONDS})
    void aGrantCarriesTokenAndLease(long lease) {
        replies.granted(GRANT, lease);
        replies.acquired(GRANT, lease);
        replies.renewed(lease);
        assertThat(taken())
                .isEqualTo("ok " + TOKEN + " " + lease + "\nacquired " + TOKEN + " " + lease + "\nok " + lease + "\n");
    }

    @Test
    void zeroIsADigitToo() {
        replies.renewed(0);
        assertThat(taken()).isEqualTo("ok 0\n");
    }

    @Test
    void itIsEmptyBeforeTheFirstReplyAndAfterTaking() {
        assertThat(replies.isEmpty()).isTrue();
        replies.add(ReplyWord.OK);
        assertThat(replies.isEmpty()).isFalse();
        assertThat(taken()).isEqualTo("ok\n");
        assertThat(replies.isEmpty()).isTrue();
        assertThat(taken()).isEmpty();
    }

    @Test
    void itGrowsAsNeededAndLosesNothing() {
        for (int round = 0; round < 2; round++) {
            StringBuilder expected = new StringBuilder();
            for (int i = 1; i <= 3000; i++) {
                replies.granted(GRANT, i);
                expected.append("ok ").append(TOKEN).append(' ').append(i).append('\n');
            }
            assertThat(taken()).isEqualTo(expected.toString());
        }
    }
}
