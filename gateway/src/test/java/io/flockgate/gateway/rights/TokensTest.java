package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static byte[] bytes(String secret) {
        return secret.getBytes(StandardCharsets.UTF_8);
    }

    private static NamedToken token(String name, String secret) {
        return new NamedToken(name, Rights.ALL, Sha256.of(bytes(secret)), null);
    }

    @Test
    void eachTokenIsFoundByItsSecretAndByNoOther() {
        Tokens tokens = Tokens.of(IntStream.range(0, 1000)
                .mapToObj(i -> token("t" + i, "secret" + i))
                .toArray(NamedToken[]::new));
        assertThat(tokens.count()).isEqualTo(1000);
        for (int i : new int[] {0, 1, 500, 999}) {
            assertThat(tokens.find(bytes("secret" + i)))
                    .isNotNull()
                    .extracting(NamedToken::name)
                    .isEqualTo("t" + i);
        }
        assertThat(tokens.find(bytes("secret1000"))).isNull();
        assertThat(tokens.find(new byte[0])).isNull();
        assertThat(Tokens.of().find(bytes("secret1"))).isNull();
    }

    @Test
    void aHashThatDiffersInOneBitIsAnother() {
        Tokens tokens = Tokens.of(token("a", "s"));
        for (int bit = 0; bit < 256; bit++) {
            byte[] near = Sha256.of(bytes("s"));
            near[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(tokens.ofHash(near)).as("bit %d", bit).isNull();
        }
        assertThat(tokens.ofHash(Sha256.of(bytes("s")))).isNotNull();
    }

    @Test
    void twoTokensNeverHaveOneSecret() {
        assertThatThrownBy(() -> Tokens.of(token("auth-token", "s"), token("a", "t"), token("b", "s")))
                .hasMessage("the tokens \"auth-token\" and \"b\" have the same secret");
    }
}
