package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.storage.Key;
import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens, and the file that has them. */
class TokensTest {
    private static final String HASH = "ab".repeat(32);

    private static List<NamedToken> read(String text) {
        return TokensFile.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String token(String name, String hash, String allow) {
        return "{\"name\":\"%s\",\"sha256\":\"%s\",\"allow\":%s}".formatted(name, hash, allow);
    }

    private static String file(String... tokens) {
        return "{\"tokens\":[" + String.join(",\n", tokens) + "]}";
    }

    @Test
    void tokensHaveNamesHashesAndRights() {
        List<NamedToken> tokens = read(file(
                token("ci", HASH, "[\"lock:ci/*\",\"read:ci/*\"]"),
                token("ops", HASH.toUpperCase(Locale.ROOT), "[\"operate\"]")));
        assertThat(tokens).extracting(NamedToken::name).containsExactly("ci", "ops");
        assertThat(tokens.getFirst().sha256()).isEqualTo(HexFormat.of().parseHex(HASH));
        assertThat(tokens.getFirst().rights().mayLock(Key.of("ci/1"))).isTrue();
        assertThat(tokens.getLast().rights().mayOperate()).isTrue();
        assertThat(read("{\"tokens\":[]}")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[] | line 1: the file must be a JSON object {\"tokens\":[…]}",
                "~~ | line 1: the file must be a JSON object",
                "{} | line 1: the field \"tokens\" is missing",
                "{\"token\":[]} | line 1: unknown field \"token\": did you mean tokens?",
                "{\"tokens\":{}} | line 1: \"tokens\" must be an array",
                "{\"tokens\":[1]} | line 1, token 1: a token must be a JSON object",
                "{\"tokens\":[]} x | line 1: not valid JSON, or a field twice",
                "{\"tokens\":[]} {} | line 1: there is something behind the JSON object",
                "{\"tokens\":[],\"tokens\":[]} | line 1: not valid JSON, or a field twice",
                "{\"tokens\":[{}]} | line 1, token 1: a token needs \"name\", \"allow\", and \"sha256\" or"
                        + " \"certificate\"",
                "{\"tokens\":[{\"name\":\"a\",\"certificate\":\"c\"}]} | line 1, token 1 (a): a token needs",
                "{\"tokens\":[{\"name\":\"a\",\"certificate\":\"\"}]} | line 1, token 1 (a): \"certificate\" must be 1"
                        + " to 253 printable",
                "{\"tokens\":[{\"name\":\"a\",\"certificate\":7}]} | line 1, token 1 (a): \"certificate\" must be",
                "{\"tokens\":[{\"name\":\"a\",\"certificate\":\"a\\u0000\"}]} | line 1, token 1 (a): \"certificate\""
                        + " must be",
                "{\"tokens\":[{\"name\":\"a\"}]} | line 1, token 1 (a): a token needs",
                "{\"tokens\":[{\"name\":\"a b\"}]} | line 1, token 1: \"name\" must be 1 to 64 printable",
                "{\"tokens\":[{\"name\":\"\"}]} | line 1, token 1: \"name\" must be",
                "{\"tokens\":[{\"name\":7}]} | line 1, token 1: \"name\" must be",
                "{\"tokens\":[{\"name\":\"é\"}]} | line 1, token 1: \"name\" must be",
                "{\"tokens\":[{\"name\":\"auth-token\"}]} | line 1, token 1: the name \"auth-token\" is that of"
                        + " --auth-token",
                "{\"tokens\":[{\"name\":\"a\",\"sha256\":\"s3cret\"}]} | line 1, token 1 (a): \"sha256\" must be 64"
                        + " hex digits",
                "{\"tokens\":[{\"name\":\"a\",\"secret\":\"x\"}]} | line 1, token 1 (a): unknown field \"secret\"",
                "{\"tokens\":[{\"name\":\"a\",\"alow\":[]}]} | line 1, token 1 (a): unknown field \"alow\": did you"
                        + " mean allow?",
                "{\"tokens\":[{\"name\":\"a\",\"allow\":\"all\"}]} | line 1, token 1 (a): \"allow\" must be an array"
                        + " of at most 100 rights",
                "{\"tokens\":[{\"name\":\"a\",\"allow\":[]}]} | line 1, token 1 (a): a token needs",
                "{\"tokens\":[{\"name\":\"a\",\"allow\":[7]}]} | line 1, token 1 (a): \"allow\" must be an array",
                "{\"tokens\":[{\"name\":\"a\",\"allow\":[\"loc:x\"]}]} | line 1, token 1 (a): unknown right \"loc:x\":"
                        + " did you mean lock:?",
            })
    void whatIsNoFileOfTokensIsRefusedWithThePlace(String text, String words) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(words)
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void theMessageNamesTheLineAndTheToken() {
        String text = file(token("a", HASH, "[\"all\"]"), token("b", HASH, "[\"al\"]"));
        assertThatThrownBy(() -> read(text)).hasMessageStartingWith("line 2, token 2 (b): unknown right \"al\"");
        assertThatThrownBy(() -> read(file(token("a", HASH, "[\"all\"]"), token("a", HASH, "[\"all\"]"))))
                .hasMessage("line 2, token 2: the name \"a\" is used twice");
    }

    @Test
    void theHashOfNothingIsRefused() {
        for (String nothing : new String[] {"", "\n"}) {
            String hash = Sha256.hex(nothing.getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> read(file(token("a", hash, "[\"all\"]")))).hasMessageContaining("is the hash of");
        }
    }

    @Test
    void aFileIsBounded() {
        String thousand = IntStream.range(0, 1000)
                .mapToObj(i -> token("t" + i, HASH, "[\"all\"]"))
                .collect(Collectors.joining(","));
        assertThat(read(file(thousand))).hasSize(1000);
        assertThatThrownBy(() -> read(file(thousand, token("more", HASH, "[\"all\"]"))))
                .hasMessageContaining("token 1001: more than 1000 tokens");
        assertThatThrownBy(() -> read(" ".repeat(TokensFile.MAX_BYTES + 1)))
                .hasMessage("the file is longer than 1 MiB");
        assertThatThrownBy(() -> TokensFile.read(new byte[] {(byte) 0xff})).hasMessage("the file is not UTF-8 text");
        String rights = "[" + "\"read\",".repeat(100) + "\"read\"]";
        assertThatThrownBy(() -> read(file(token("a", HASH, rights)))).hasMessageContaining("at most 100 rights");
        assertThatThrownBy(() -> read("{\"tokens\":" + "[".repeat(10_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTokenMayHaveACertificateInsteadOfASecretOrBesideIt() {
        List<NamedToken> tokens = read("""
            {"tokens":[{"name":"a","certificate":"Jane Doe","allow":["read"]},
            {"name":"b","sha256":"%s","certificate":"b.example","allow":["operate"]}]}\
            """.formatted(HASH));
        assertThat(tokens).extracting(NamedToken::certificate).containsExactly("Jane Doe", "b.example");
        Tokens all = Tokens.of(tokens.toArray(NamedToken[]::new));
        assertThat(all.names()).isEqualTo("a,b");
        assertThat(all.ofCertificate("Jane Doe")).isSameAs(tokens.getFirst());
        assertThat(all.ofCertificate("b.example")).isSameAs(tokens.getLast());
        assertThat(all.ofCertificate("B.example")).isNull();
        assertThat(all.ofCertificate("")).isNull();
        assertThat(all.ofHash(HexFormat.of().parseHex(HASH))).isSameAs(tokens.getLast());
        assertThat(all.ofHash(new byte[32])).isNull();
        assertThatThrownBy(() -> Tokens.of(tokens.getFirst(), tokens.getFirst()))
                .hasMessage("the tokens \"a\" and \"a\" have the same certificate");
    }

    @Test
    void aPrintedTokenShowsItsNameOnly() {
        assertThat(read(file(token("ci", HASH, "[\"all\"]")))).hasToString("[NamedToken[ci]]");
    }

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
