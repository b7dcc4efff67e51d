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
import org.junit.jupiter.api.Test;

/** What {@code ls} and {@code show} print about the clients of other gateways. */
class BoundsShownTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final PrintStream output = new PrintStream(out, true, UTF_8);

    private CommandCall call(ScriptedServer to, String... args) {
        return new CommandCall(
                List.of(args), Map.of("FLOCKGATE_SERVER", to.uri().toString()), output, output);
    }

    @Test
    void boundsTokensAndHoldersWithoutLeasesAreShownAsSuch() throws Exception {
        String body = """
                {"key":"k","kind":"semaphore","limit":5,"holder_count":4,"waiter_count":2,"holders":[
                {"fence":"01","conn_id":1,"via":"connection","held_s":5.0,"lease_expires_in_s":7.0,"bounds":true},
                {"fence":"02","conn_id":2,"via":"connection","token_name":"ci","held_s":6.0,"lease_expires_in_s":8.0},
                {"fence":"03","conn_id":0,"via":"other","held_s":6.0,"lease_expires_in_s":0,"bounds":true},
                {"fence":"04","conn_id":4,"via":"session","held_s":6.0,"lease_expires_in_s":0,"bounds":true}],"queue":[
                {"position":1,"id":"a","conn_id":3,"via":"session","waiting_s":3.0,"bounds":true},
                {"position":2,"id":"b","conn_id":4,"via":"session","token_name":"ops","waiting_s":4.0}]}""";
        try (ScriptedServer server = new ScriptedServer().otherwise(Reply.status(200, body))) {
            assertThat(ShowCommand.run(call(server, "k"))).isZero();
        }
        List<String> lines = out.toString(UTF_8).lines().toList();
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
    void aListMarksHoldsThatAreBounds() throws Exception {
        String body = """
                {"keys":[{"key":"a","kind":"lock","limit":1,"holders":1,"waiters":0,"oldest_hold_s":5.0,"bounds":true},
                {"key":"b","kind":"lock","limit":1,"holders":1,"waiters":0,"oldest_hold_s":6.0}]}""";
        try (ScriptedServer server = new ScriptedServer().otherwise(Reply.status(200, body))) {
            assertThat(ListCommand.run(call(server))).isZero();
        }
        assertThat(out.toString(UTF_8).lines().map(line -> line.replaceAll(" +", " ")))
                .contains("a lock 1 1 0 >=5s - -", "b lock 1 1 0 6s - -");
    }
}
