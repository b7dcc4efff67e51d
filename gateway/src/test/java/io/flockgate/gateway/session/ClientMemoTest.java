package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import org.junit.jupiter.api.Test;

class ClientMemoTest {
    @Test
    void comesBackAsItWas() {
        ClientMemo memo = new ClientMemo(
                "ab".repeat(32),
                new ClientDescription(Via.SESSION, "n\u00e4me", "192.0.2.7:80", "ci"),
                new ClientInfo("n\u00e4me", true, false, "0f2a"));
        ClientMemo bare = new ClientMemo("", new ClientDescription(Via.CONNECTION, null, null), ClientInfo.NONE);

        assertThat(ClientMemo.decode(memo.encode())).isEqualTo(memo);
        assertThat(ClientMemo.decode(bare.encode())).isEqualTo(bare);
    }

    @Test
    void isShortWhateverTheClientSays() {
        String name = "\\".repeat(ClientInfo.MAX_NAME_BYTES);
        ClientMemo memo = new ClientMemo(
                "ab".repeat(32),
                new ClientDescription(
                        Via.CONNECTION,
                        name,
                        "x".repeat(ClientDescription.MAX_ADDRESS_LENGTH - 6) + ":65535",
                        "x".repeat(ClientDescription.MAX_TOKEN_NAME_LENGTH)),
                new ClientInfo(name, true, true, "\\".repeat(ClientInfo.MAX_LOSSES_LENGTH)));

        assertThat(memo.encode()).hasSizeLessThan(Claimant.MAX_MEMO_BYTES);
    }

    @Test
    void whatIsNoMemoIsNull() {
        assertThat(ClientMemo.decode(new byte[0])).isNull();
        assertThat(ClientMemo.decode("{\"v\":2}".getBytes(UTF_8))).isNull();
        assertThat(ClientMemo.decode("{\"v\":1}".getBytes(UTF_8))).isNull();
        assertThat(ClientMemo.decode("{\"v\":1,\"session\":5}".getBytes(UTF_8))).isNull();
    }
}
