package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static byte[] hash(String secret) {
        return Sha256.of(secret.getBytes(StandardCharsets.UTF_8));
    }

    private static NamedToken token(String name, String secret) {
        return new NamedToken(new Principal(name, Rights.ALL), hash(secret));
    }

    @Test
    void eachTokenIsFoundByItsSecretAndByNoOther() {
        List<NamedToken> many = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            many.add(token("t" + i, "secret" + i));
        }
        Tokens tokens = Tokens.of(token("first", "other"), many);
        assertThat(tokens.count()).isEqualTo(1001);
        for (int i : new int[] {0, 1, 500, 999}) {
            assertThat(tokens.find(hash("secret" + i))).isEqualTo(new Principal("t" + i, Rights.ALL));
        }
        assertThat(Objects.requireNonNull(tokens.find(hash("other"))).name()).isEqualTo("first");
        assertThat(tokens.find(hash("secret1000"))).isNull();
        assertThat(tokens.find(hash(""))).isNull();
        assertThat(Tokens.NONE.find(hash("other"))).isNull();
    }

    @Test
    void aHashThatDiffersInOneBitIsAnother() {
        Tokens tokens = Tokens.of(token("a", "s"), List.of());
        for (int bit = 0; bit < 256; bit++) {
            byte[] near = hash("s");
            near[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(tokens.find(near)).as("bit %d", bit).isNull();
        }
        assertThat(tokens.find(hash("s"))).isNotNull();
    }

    @Test
    void twoTokensNeverHaveOneSecret() {
        assertThatThrownBy(() -> Tokens.of(token("auth-token", "s"), List.of(token("a", "t"), token("b", "s"))))
                .hasMessage("the tokens \"auth-token\" and \"b\" have the same secret");
    }

    @Test
    void theLastSecretIsForgottenWithItsToken() {
        Authenticator authenticator = Authenticator.of(Tokens.of(token("a", "s"), List.of(token("b", "t"))));
        for (int i = 0; i < 3; i++) {
            assertThat(found(authenticator, "s")).isEqualTo("a");
            assertThat(found(authenticator, "s")).isEqualTo("a");
            assertThat(found(authenticator, "t")).isEqualTo("b");
            assertThat(found(authenticator, "u")).isEmpty();
        }
        authenticator.replace(Tokens.of(null, List.of(token("c", "s"))));
        assertThat(found(authenticator, "t")).isEmpty();
        assertThat(found(authenticator, "s")).isEqualTo("c");
        authenticator.replace(Tokens.NONE);
        assertThat(found(authenticator, "s")).isEmpty();
    }

    private static String found(Authenticator authenticator, String secret) {
        Principal found = authenticator.find(secret.getBytes(StandardCharsets.UTF_8));
        return found == null ? "" : found.name();
    }

    @Test
    void anAuthenticatorThatWantsATokenLetsNobodyInWithoutOne() {
        Authenticator empty = Authenticator.of(Tokens.of(null, List.of()));
        assertThat(empty.isRequired()).isTrue();
        assertThat(empty.find("s".getBytes(StandardCharsets.UTF_8))).isNull();
        assertThat(Authenticator.OPEN.isRequired()).isFalse();
    }
}
