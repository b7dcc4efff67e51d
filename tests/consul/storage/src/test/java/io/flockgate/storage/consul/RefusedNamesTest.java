package io.flockgate.storage.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.consul.Site.Gateway;
import io.flockgate.storage.consul.Site.Had;
import io.flockgate.storage.consul.Site.Queued;
import io.flockgate.storage.tck.Await;
import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul 1.21.5, which refuses names of keys that versions before and after it accept. */
@Tag("consul")
@Execution(ExecutionMode.CONCURRENT)
class RefusedNamesTest {
    private static final String PATTERN = "^[a-zA-Z0-9,_./\\-?&=]+$";
    private static final Pattern ACCEPTED = Pattern.compile(PATTERN);
    private static final String KV = "/v1/kv/";
    private static final List<String> KEYS =
            List.of("a/b", "a~b", "über", "x:y@z", "..", "a,b", "%2F", "with?query=1&b");

    private final FaultyHttp agent =
            FaultyHttp.to(ConsulAgent.shared().address()).rule(RefusedNamesTest::invalidName);
    private final RealSite site = new RealSite();

    @AfterEach
    void close() {
        site.close();
        agent.close();
    }

    /**
     * Refuses names in paths with the status and the words of 1.21.5, in front of an older agent.
     * Like 1.21.5, it lets transactions pass.
     */
    private static @Nullable Reply invalidName(ReceivedRequest request) {
        String path = URI.create(request.target()).getPath();
        String key = path.startsWith(KV) ? path.substring(KV.length()) : "";
        if (key.isEmpty() || (ACCEPTED.matcher(key).matches() && !key.contains(".."))) {
            return null;
        }
        String words = "invalid key name, keys should respect the \"" + PATTERN.replace("\\", "\\\\") + "\" format";
        return Reply.status(500, words);
    }

    private Gateway gateway() {
        return site.gateway(Map.of("consul-addr", agent.uri().toString()));
    }

    @Test
    void everyKeyIsGrantedHandedOverAndShown() {
        Gateway one = gateway();
        Gateway other = gateway();
        for (String key : KEYS) {
            for (Claim claim : List.of(Site.lock(key), Site.semaphore(key + "!", 1))) {
                Had held = one.hold(claim);
                Queued waiting = other.queue(claim);
                assertThat(Await.result(other.storage().inspect(new KeyDetailQuery(claim.key(), 0, 1))))
                        .isPresent();
                assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
                Had next = waiting.awaitGrant();
                assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
        }
        assertThat(Await.result(one.storage().inspect(new KeyQuery(new byte[0], null, 1000)))
                        .keys())
                .extracting(KeySummary::key)
                .contains(KEYS.stream().map(Key::of).toArray(Key[]::new));
        assertThat(agent.intercepted()).isZero();
    }
}
