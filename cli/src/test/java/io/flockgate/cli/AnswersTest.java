package io.flockgate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Reply;
import io.flockgate.testsupport.ScriptedServer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commands print of a server's answer, which may be that of another server than a gateway. */
class AnswersTest {
    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    private final Shell shell = new Shell(server.uri().toString());

    @Test
    void boundsTokensAndHoldersWithoutLeasesAreShownAsSuch() {
        String body = """
                {"key":"k","kind":"semaphore","limit":5,"holder_count":4,"waiter_count":2,"holders":[
                {"fence":"01","conn_id":1,"via":"connection","held_s":5.0,"lease_expires_in_s":7.0,"bounds":true},
                {"fence":"02","conn_id":2,"via":"connection","token_name":"ci","held_s":6.0,"lease_expires_in_s":8.0},
                {"fence":"03","conn_id":0,"via":"other","held_s":6.0,"lease_expires_in_s":0,"bounds":true},
                {"fence":"04","conn_id":4,"via":"session","held_s":6.0,"lease_expires_in_s":0,"bounds":true}],"queue":[
                {"position":1,"id":"a","conn_id":3,"via":"session","waiting_s":3.0,"bounds":true},
                {"position":2,"id":"b","conn_id":4,"via":"session","token_name":"ops","waiting_s":4.0}]}""";
        server.otherwise(Reply.status(200, body));
        assertThat(shell.run("show k")).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines).anyMatch(line -> line.startsWith("01 ") && line.contains(" >=5s ") && line.endsWith(" <=7s"));
        assertThat(lines).anyMatch(line -> line.startsWith("02 ") && line.contains(" 6s ") && line.endsWith(" 8s"));
        assertThat(lines).anyMatch(line -> line.startsWith("02 ") && line.contains(" 2  ci "));
        assertThat(lines).anyMatch(line -> line.startsWith("2 ") && line.contains(" 4  ops "));
        assertThat(lines).anyMatch(line -> line.startsWith("03 ") && line.endsWith(" >=6s  -"));
        assertThat(lines).anyMatch(line -> line.startsWith("04 ") && line.endsWith(" <=0s"));
        assertThat(lines).anyMatch(line -> line.startsWith("1 ") && line.endsWith(" >=3s"));
        assertThat(lines).anyMatch(line -> line.startsWith("2 ") && line.endsWith(" 4s"));
    }

    @Test
    void aListMarksHoldsThatAreBoundsAndIsNotWidenedByALongKey() {
        String body = """
                {"keys":[{"key":"a","kind":"lock","limit":1,"holders":1,"waiters":0,"oldest_hold_s":5.0,"bounds":true},
                {"key":"b","kind":"lock","limit":1,"holders":1,"waiters":0,"oldest_hold_s":6.0},
                {"key":"LONG","kind":"lock","limit":1,"holders":1,"waiters":0,"oldest_hold_s":7.0}]}""".replace("LONG", "k".repeat(200));
        server.otherwise(Reply.status(200, body));
        assertThat(shell.run("ls")).isZero();
        assertThat(shell.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains("a lock 1 1 0 >=5s - -", "b lock 1 1 0 6s - -", "k".repeat(200), " lock 1 1 0 7s - -");
        assertThat(shell.out().lines().filter(line -> !line.startsWith("kk"))).allMatch(line -> line.length() < 100);
    }

    @ParameterizedTest
    @CsvSource({
        "ls, newer older",
        "ls --waiting, newer",
        "ls --sort waiters, newer older",
        "ls --sort held, older newer",
        "ls --holder ci-7, older",
        "ls --holder 192.0.2.7:1, newer"
    })
    void aListIsSortedAndFilteredByItsWaitersAndHolders(String line, String keys) {
        server.otherwise(Reply.status(200, """
                {"keys":[{"key":"older","waiters":0,"oldest_hold_s":9.0,"holder":{"name":"ci-7","address":"192.0.2.7:2"}},
                {"key":"newer","waiters":1,"oldest_hold_s":6.0,"holder":{"address":"192.0.2.7:1"}}]}"""));
        assertThat(shell.run(line)).isZero();
        assertThat(shell.out().lines().skip(1).map(row -> row.replaceAll(" .*", "")))
                .containsExactly(keys.split(" "));
    }

    /** An intermediary between the shell and the gateway answers with its own page. */
    @ParameterizedTest
    @CsvSource({
        "release job --force --fence 0000000000000001 --reason r, 200, <html>sign in</html>",
        "release job --force --fence 0000000000000001 --reason r, 302, <html>sign in</html>",
        "show job, 200, <html>sign in</html>",
        "show job --json, 200, <html>sign in</html>",
        "fleetlock ls, 200, {}",
        "fleetlock ls, 200, '{\"groups\":1}'",
        "fleetlock ls workers, 200, []",
    })
    void anotherAnswerThanAGatewaysIsNone(String line, int given, String body) {
        server.otherwise(Reply.status(given, body));

        assertThat(shell.run(line)).as(shell.err()).isEqualTo(1);

        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("not a gateway's").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            400 | {"error":"bad\\u001b]0;x\\u0007","detail":"\\u202egpj"} | refused with 400 bad\\x1b]0;x\\x07: \\u202egpj
            401 | {"error":"unauthorized"} | refused with 401 unauthorized: the gateway needs a token that it knows: see --auth-token-file
            403 | {"error":"forbidden","detail":"no right"} | refused with 403 forbidden: no right
            503 | {"error":"draining"} | the gateway refuses the request: it is draining or shutting down
            503 | {"error":"max_locks"} | the gateway refuses the request: it has too many keys (--max-locks of the gateway)
            """)
    void aRefusalIsToldAndWhatATerminalWouldObeyEscaped(int status, String body, String words) {
        server.otherwise(Reply.status(status, body));
        assertThat(shell.run("show job")).isEqualTo(1);
        assertThat(shell.err()).isEqualTo("flockgate show: " + words + "\n");
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
            Shell other = new Shell(endless.uri().toString());
            assertThat(other.run("show job")).isEqualTo(1);
            assertThat(other.err()).startsWith("flockgate show: no answer from");
        }
    }
}
