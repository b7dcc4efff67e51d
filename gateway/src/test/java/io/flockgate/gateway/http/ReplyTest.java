package io.flockgate.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.Reply.Header;
import org.junit.jupiter.api.Test;

class ReplyTest {
    private static String body(Reply reply) {
        return new String(reply.body(), UTF_8);
    }

    @Test
    void headersAndTheEndAreAddedToTheSameReply() {
        Reply reply = Reply.json(405, "{}");
        Reply refused = reply.with("Allow", "GET, HEAD").with("X-Y", "z").asLast();
        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.headers()).containsExactly(new Header("Allow", "GET, HEAD"), new Header("X-Y", "z"));
        assertThat(body(refused)).isEqualTo("{}\n");
        assertThat(refused.last()).isTrue();
        assertThat(reply.last()).isFalse();
        assertThat(reply.headers()).isEmpty();
    }
}
