package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultyHttpTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    @AutoClose
    private final FaultyHttp relay = FaultyHttp.to(server.uri());

    private HttpResponse<String> put(String target) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(relay.uri().resolve(target))
                .header("X-Token", "t")
                .PUT(BodyPublishers.ofString("ü"))
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    @Test
    void requestsAndAnswersPassWithTheirHeaders() throws Exception {
        server.reply(Reply.status(200, "é", "X-Consul-Index: 7"));

        HttpResponse<String> answer = put("/a%20b?index=6&wait=1s");

        assertThat(answer.body()).isEqualTo("é");
        assertThat(answer.headers().allValues("X-Consul-Index")).containsExactly("7");
        ReceivedRequest request = server.next();
        assertThat(request.line()).isEqualTo("PUT /a%20b?index=6&wait=1s HTTP/1.1");
        assertThat(request.headers("x-token")).containsExactly("t");
        assertThat(request.body()).isEqualTo("ü");
    }

    @Test
    void theFirstRuleThatDecidesRepliesInThePlaceOfTheServer() throws Exception {
        relay.rule(request -> request.path().equals("/no") ? Reply.status(403, "no") : null)
                .rule(request -> Reply.status(204, ""));

        assertThat(put("/no").statusCode()).isEqualTo(403);
        assertThat(put("/other").statusCode()).isEqualTo(204);
        assertThat(relay.received()).hasSize(2);
        assertThat(server.received()).isEmpty();
    }

    @Test
    void anAnswerIsLostAfterTheServerHasCarriedTheRequestOut() throws Exception {
        server.on("PUT /write", 500, "").on("PUT /write", 200, "");
        var lost = relay.loseAnswers("/write", 1);

        assertThat(put("/write").statusCode()).isEqualTo(500);
        assertThatThrownBy(() -> put("/write")).isInstanceOf(IOException.class);
        assertThat(lost.left()).isZero();
        assertThat(put("/write").statusCode()).isEqualTo(200);
        assertThat(server.received()).hasSize(3);
    }

    @Test
    void aServerThatCannotBeReachedEndsTheConnection() {
        server.close();
        assertThatThrownBy(() -> put("/")).isInstanceOf(IOException.class);
    }

    @Test
    void closingEndsARequestThatHangs() throws Exception {
        server.otherwise(Reply.hang());
        var answer = CLIENT.sendAsync(HttpRequest.newBuilder(relay.uri()).build(), BodyHandlers.ofString());
        assertThat(server.next().method()).isEqualTo("GET");
        relay.close();
        assertThatThrownBy(answer::get).hasCauseInstanceOf(IOException.class);
    }
}
