package io.flockgate.cli.keys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An intermediary between the shell and the gateway answers with its own page and a status of
 * success.
 */
class ProxyPageTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    private int run(String line) {
        List<String> words = List.of(line.split(" "));
        CommandCall call = call(server, words.subList(1, words.size()));
        return words.getFirst().equals("show") ? ShowCommand.run(call) : GrantCommand.run(words.getFirst(), call);
    }

    private CommandCall call(ScriptedServer to, List<String> args) {
        return new CommandCall(
                args,
                Map.of("FLOCKGATE_SERVER", to.uri().toString()),
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "release job --force --fence 0000000000000001 --reason r, 200, <html>sign in</html>",
        "release job --force --fence 0000000000000001 --reason r, 302, <html>sign in</html>",
        "show job, 200, <html>sign in</html>",
        "show job --json, 200, <html>sign in</html>",
    })
    void aPageOfAProxyIsNoAnswer(String line, int given, String body) {
        server.otherwise(Reply.status(given, body));

        assertThat(run(line)).as("%s", err).isEqualTo(1);

        assertThat(out.toString(UTF_8)).isEmpty();
        assertThat(err.toString(UTF_8)).contains("not a gateway's").hasLineCount(1);
    }

    @Test
    void whatATerminalWouldObeyIsShownEscaped() {
        server.otherwise(Reply.status(400, "{\"error\":\"bad\\u001b]0;x\\u0007\",\"detail\":\"\\u202egpj\"}"));
        assertThat(run("show job")).isEqualTo(1);
        assertThat(err.toString(UTF_8)).contains("refused with 400 bad\\x1b]0;x\\x07: \\u202egpj");
    }

    @Test
    void anAnswerWithoutEndFailsWhenItIsTooLong() {
        byte[] head = "HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n{".getBytes(UTF_8);
        byte[] part = new byte[1 << 16];
        try (ScriptedServer endless = ScriptedServer.ofConnections(client -> {
            client.getOutputStream().write(head);
            while (true) {
                client.getOutputStream().write(part);
            }
        })) {
            assertThat(ShowCommand.run(call(endless, List.of("job")))).isEqualTo(1);
            assertThat(err.toString(UTF_8)).startsWith("flockgate show: no answer from");
        }
    }
}
