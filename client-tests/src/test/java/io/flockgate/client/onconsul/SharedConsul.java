package io.flockgate.client.onconsul;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.testsupport.HttpCall;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One agent for all tests that do not disrupt it. It accepts short sessions, and ends with this
 * JVM.
 */
final class SharedConsul {
    /** Short, so that tests end soon, but long enough for a slow machine to answer. */
    static final Duration TTL = Duration.ofSeconds(9);

    static final String SHORT_SESSIONS = "{\"session_ttl_min\":\"1s\"}";

    private static final Pattern SESSION = Pattern.compile("\"Session\":\\s*\"([0-9a-f-]+)\"");

    private static final ConsulAgent AGENT = start();

    private SharedConsul() {}

    static ConsulAgent agent() {
        return AGENT;
    }

    static URI uri(URI agent) {
        return uri(agent, "flockgate");
    }

    static URI uri(URI agent, String prefix) {
        return URI.create("consul://" + agent.getAuthority() + "/" + prefix);
    }

    static ConsulOptions options(URI consul) {
        return ConsulOptions.agents(List.of(consul)).sessionTtlMin(Duration.ofSeconds(1));
    }

    static LeaseProvider connect(URI consul) {
        return ConsulBackend.connect(options(consul).clientName("service"));
    }

    /**
     * The agent, after it has answered a client once, because the first answer takes long on a busy
     * machine.
     */
    private static ConsulAgent start() {
        ConsulAgent agent = ConsulAgent.start(AgentOptions.plain().withConfig(SHORT_SESSIONS));
        try (LeaseProvider provider = connect(uri(agent.address(), "warm"))) {
            LeaseOptions patient = LeaseOptions.named("warm")
                    .ttl(Duration.ofSeconds(90))
                    .requestTimeout(Duration.ofSeconds(30))
                    .build();
            var unused = provider.lease(patient).acquire().toCompletableFuture().get(40, TimeUnit.SECONDS);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
        return agent;
    }

    /** The session that holds the first entry of an answer to this path below {@code /v1/kv/}. */
    static String sessionOf(String path) {
        String entries = HttpCall.ask(AGENT.address(), "GET", "/v1/kv/" + path, "");
        Matcher session = SESSION.matcher(entries);
        if (!session.find()) {
            throw new AssertionError("no session in " + entries);
        }
        return session.group(1);
    }

    /** A lease that outlasts every test, with ample time for each answer. */
    static Lease lease(LeaseProvider provider, String name, long limit) {
        return lease(provider, name, limit, Duration.ofSeconds(45));
    }

    /** A lease that soon expires without its holder. */
    static Lease brief(LeaseProvider provider, String name, long limit) {
        return lease(provider, name, limit, TTL);
    }

    private static Lease lease(LeaseProvider provider, String name, long limit, Duration ttl) {
        return provider.lease(LeaseOptions.named(name)
                .limit(limit)
                .ttl(ttl)
                .requestTimeout(ttl.dividedBy(3))
                .renewInterval(ttl.dividedBy(4))
                .build());
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
