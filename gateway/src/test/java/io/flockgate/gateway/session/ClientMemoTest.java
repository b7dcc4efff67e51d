package io.flockgate.gateway.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.ClientInfo.ClientName;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import org.junit.jupiter.api.Test;

class ClientMemoTest {
    @Test
    void comesBackAsItWas() {
        ClientMemo memo = new ClientMemo(
                "ab".repeat(32),
                new Peer(Via.SESSION, "192.0.2.7:80"),
                new ClientInfo(new ClientName("n\u00e4me"), true, false, "0f2a"),
                "ci");
        ClientMemo bare = new ClientMemo("", new Peer(Via.CONNECTION, null), ClientInfo.NONE, "");

        assertThat(ClientMemo.decode(memo.encode())).isEqualTo(memo);
        assertThat(ClientMemo.decode(bare.encode())).isEqualTo(bare);
    }

    @Test
    void isShortWhateverTheClientSays() {
        ClientMemo memo = new ClientMemo(
                "ab".repeat(32),
                new Peer(Via.CONNECTION, "x".repeat(ClientDescription.MAX_ADDRESS_LENGTH - 6) + ":65535"),
                new ClientInfo(
                        new ClientName("\\".repeat(ClientName.MAX_BYTES)),
                        true,
                        true,
                        "\\".repeat(ClientInfo.MAX_LOSSES_LENGTH)),
                "x".repeat(ClientDescription.MAX_TOKEN_NAME_LENGTH));

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
