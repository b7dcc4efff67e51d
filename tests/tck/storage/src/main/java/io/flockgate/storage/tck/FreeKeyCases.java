package io.flockgate.storage.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Grant;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

abstract class FreeKeyCases extends StorageCases {
    @Test
    @DisplayName("gives its claimant the grant as an answer and not as a notification; it says the same ever after")
    void grantNeverChanges() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        expect(KEY, 1, 0);
        Grant grant = holding.grant();
        long fence = grant.fence();
        long salt = grant.salt();
        long since = grant.grantedAtNanos();

        renew(holding, 5);
        release(holding);

        assertThat(grant.fence()).isEqualTo(fence);
        assertThat(grant.salt()).isEqualTo(salt);
        assertThat(grant.grantedAtNanos()).isEqualTo(since);
        assertThat(grant.key()).isEqualTo(KEY);
        assertThat(grant.kind()).isEqualTo(Kind.LOCK);
        assertThat(holding.claimant().grants()).isZero();
    }

    @Test
    @DisplayName("is the same for the same bytes in another object")
    void sameBytes() {
        HeldGrant holding = hold(TestClaims.lock(KEY));
        Key same = key(KEY.toBytes());

        expect(same, 1, 0);
        release(new HeldGrant(holding.claimant(), holding.grant()));
        expect(same, 0, 0);
    }

    @Test
    @DisplayName("is another one if one byte differs")
    void oneByteDiffers() {
        List<Key> keys = new ArrayList<>();
        for (String each :
                List.of("abc", "Abc", "abC", "ab", "abcd", "abc\u0000", "\u0000abc", "abc/", "abc.", "bac")) {
            keys.add(Key.of(each));
        }
        List<HeldGrant> holdings =
                keys.stream().map(each -> hold(TestClaims.lock(each))).toList();

        release(holdings.getFirst());

        holdings.subList(1, holdings.size()).forEach(this::stillHeld);
        expect(keys.getFirst(), 0, 0);
    }

    @Test
    @DisplayName("may be named by any byte but the four blank ones")
    void anyByte() {
        for (int i = 0; i < 256; i++) {
            if (i == ' ' || i == '\t' || i == '\n' || i == '\r') {
                continue;
            }
            byte[] bytes = {(byte) i};
            HeldGrant holding = hold(TestClaims.lock(key(bytes)));
            assertThat(holding.grant().key().toBytes()).isEqualTo(bytes);
        }
    }

    @Test
    @DisplayName("may have a name that means something to file systems, URLs and stores")
    void awkwardNames() {
        for (String name : List.of(
                "/", "//", ".", "..", "../x", "a/", "a//b", "%2F", "%", "?a=b&c", "#", "+", "\\", "\"", "'", "*",
                ".lock", ".wait", "a/.lock", "lock:a", "sem:a", "{}", "null", "é", "日本", "\u0000", "\u007f")) {
            HeldGrant holding = hold(TestClaims.lock(Key.of(name)));
            expect(holding.key(), 1, 0);
            assertThat(holding.key().toBytes()).isEqualTo(name.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("may have a name of 256 bytes, of which the last counts")
    void longNames() {
        for (byte fill : new byte[] {'k', (byte) 0xff}) {
            byte[] bytes = new byte[Key.MAX_BYTES];
            Arrays.fill(bytes, fill);
            HeldGrant one = hold(TestClaims.lock(key(bytes)));
            bytes[Key.MAX_BYTES - 1] = 'x';
            HeldGrant other = hold(TestClaims.lock(key(bytes)));

            release(one);

            stillHeld(other);
            expect(one.key(), 0, 0);
        }
    }
}
