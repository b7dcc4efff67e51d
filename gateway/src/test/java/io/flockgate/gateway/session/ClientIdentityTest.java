package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memo of a client for the next process. */
class ClientIdentityTest {
    private static ClientIdentity client(Via via, String address, String hash, String token, ClientInfo info) {
        ClientIdentity client = new ClientIdentity(new ClientDescription(via, null, address), false);
        client.keepAs(hash);
        client.setPrincipal(token);
        assertThat(client.introduce(info)).isTrue();
        return client;
    }

    private static void expectBack(ClientIdentity client) {
        byte[] memo = requireNonNull(client.memo());
        ClientIdentity restored = ClientIdentity.restored(memo, false);
        assertThat(restored.sessionHash()).isEqualTo(client.sessionHash());
        assertThat(restored.description()).isEqualTo(client.description());
        assertThat(restored.info()).isEqualTo(client.info());
        assertThat(restored.memo()).isEqualTo(memo);
        assertThat(restored.isIntroduced()).isTrue();
        assertThat(restored.introduce(ClientInfo.NONE)).isFalse();
    }

    @Test
    void comesBackAsItWas() {
        ClientInfo info = new ClientInfo("n\u00e4me", true, false, "0f2a");
        expectBack(client(Via.SESSION, "192.0.2.7:80", "ab".repeat(32), "ci", info));
        expectBack(client(Via.CONNECTION, "192.0.2.7:80", "", "", ClientInfo.NONE));
    }

    @Test
    void isShortWhateverTheClientSays() {
        String address = "x".repeat(ClientDescription.MAX_ADDRESS_LENGTH - 6) + ":65535";
        String token = "x".repeat(ClientDescription.MAX_TOKEN_NAME_LENGTH);
        ClientInfo info = new ClientInfo(
                "\\".repeat(ClientInfo.MAX_NAME_BYTES), true, true, "\\".repeat(ClientInfo.MAX_LOSSES_LENGTH));
        assertThat(client(Via.CONNECTION, address, "ab".repeat(32), token, info).memo())
                .hasSizeLessThan(Claimant.MAX_MEMO_BYTES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"v\":2,\"session\":\"5\",\"via\":\"SESSION\",\"token\":\"\",\"detached\":true,\"reasons\":true}",
                "{\"v\":1}",
                "{\"v\":1,\"session\":5}",
                "{\"v\":1,\"session\":\"5\",\"via\":\"SESSION\",\"token\":\"\",\"detached\":true}",
            })
    void isUnknownIfTheMemoIsNone(String memo) {
        ClientIdentity client = ClientIdentity.restored(memo.getBytes(UTF_8), false);
        assertThat(client.sessionHash()).isEmpty();
        assertThat(client.description()).isEqualTo(ClientDescription.UNKNOWN);
        assertThat(client.info()).isEqualTo(ClientInfo.NONE);
    }
}
