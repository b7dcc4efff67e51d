package io.flockgate.gateway.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.net.Listener;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.GrantListener;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommandCountsTest {
    @Test
    void everyReplyIsCountedByItsCommandAndFirstWord() throws IOException {
        try (CountedServer server = new CountedServer("--event-loops=1", "--max-locks=2")) {
            List<String> replies = server.replies("""
                    l\none\n0
                    sl\nmany\n0 2
                    l\nthree\n0
                    l\none\n0
                    l\none\nsoon
                    e\none\n9
                    w\none\n0
                    sw\nmany\n0
                    se\nmany\n2
                    r\none\nnone
                    sn\nmany\nnone
                    ping\n_\n_
                    stats\n_\n_
                    auth\n_\n_
                    x\none\n_
                    """);
            assertThat(replies).hasSize(15);
            assertThat(server.counts())
                    .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                            Map.entry("l ok", 1L),
                            Map.entry("sl ok", 1L),
                            Map.entry("l error_max_locks", 1L),
                            Map.entry("l timeout", 1L),
                            Map.entry("l error", 1L),
                            Map.entry("e queued", 1L),
                            Map.entry("w timeout", 1L),
                            Map.entry("sw error_not_enqueued", 1L),
                            Map.entry("se acquired", 1L),
                            Map.entry("r error", 1L),
                            Map.entry("sn error", 1L),
                            Map.entry("ping ok", 1L),
                            Map.entry("stats ok", 1L),
                            Map.entry("auth error", 1L),
                            Map.entry("invalid error", 1L)));
        }
    }

    @Test
    void theFirstFrameIsCountedAsAuthenticationWhateverIsInIt() throws IOException {
        try (CountedServer server = new CountedServer("--auth-token=secret")) {
            assertThat(server.replies("l\nkey\n0\n")).containsExactly("error_auth");
            assertThat(server.replies("auth\n_\nsecret\nping\n_\n_\n")).containsExactly("ok", "ok");
            assertThat(server.counts())
                    .containsExactlyInAnyOrderEntriesOf(Map.of("auth error_auth", 1L, "auth ok", 1L, "ping ok", 1L));
        }
    }

    @Test
    void aLineThatIsTooLongIsCountedAsInvalid() throws IOException {
        try (CountedServer server = new CountedServer()) {
            assertThat(server.replies("l".repeat(300) + "\n")).containsExactly("error");
            assertThat(server.counts()).containsExactlyInAnyOrderEntriesOf(Map.of("invalid error", 1L));
        }
    }

    @Test
    void countsOfAllEventLoopsAreAddedUp() throws IOException {
        try (CountedServer server = new CountedServer("--event-loops=3")) {
            for (int i = 0; i < 12; i++) {
                assertThat(server.replies("ping\n_\n_\n")).containsExactly("ok");
            }
            assertThat(server.counts()).containsExactlyInAnyOrderEntriesOf(Map.of("ping ok", 12L));
        }
    }

    /** A server with nothing but a listener and a storage. */
    private static final class CountedServer implements AutoCloseable {
        private final Vertx vertx = Vertx.vertx();
        private final Gate gate;
        private final TcpServer tcp;
        private final int port;

        CountedServer(String... flags) {
            GatewayConfig config = config(flags);
            LockStorage storage = storage(config);
            gate = new Gate(Map.of(), System::nanoTime);
            tcp = new TcpServer(
                    new Listener(vertx, config.tcp(), null),
                    config,
                    new SessionFactory(
                            storage,
                            true,
                            new ClientLimits(gate),
                            SessionEvents.NONE,
                            GrantListener.NONE,
                            EventFeed.unread()),
                    authenticator(config),
                    new Budget(1 << 20),
                    new ReportQueue(gate));
            port = tcp.listen().await();
        }

        private static @Nullable Authenticator authenticator(GatewayConfig config) {
            NamedToken token = config.auth().named();
            Audit audit = new Audit();
            return token == null ? null : new Authenticator(Tokens.of(token), audit);
        }

        private static GatewayConfig config(String... flags) {
            List<String> args = new ArrayList<>(List.of("--port=0"));
            args.addAll(List.of(flags));
            if (CommandLine.read(args, Map.of()) instanceof Invocation.Serve serve) {
                return serve.config();
            }
            throw new IllegalArgumentException("no server comes of " + args);
        }

        private LockStorage storage(GatewayConfig config) {
            StorageProvider memory = ServiceLoader.load(StorageProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.name().equals("memory"))
                    .findFirst()
                    .orElseThrow();
            Duration never = Duration.ofHours(1);
            return memory.open(new StorageSettings(
                            vertx,
                            EventLoop::time,
                            config.nodeName(),
                            "test",
                            "",
                            new StorageLimits(config.locks().limits().maxLocks(), 0, 0),
                            never,
                            never,
                            never,
                            Optional.empty(),
                            OptionValues.DEFAULTS))
                    .await();
        }

        Socket connect() throws IOException {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setSoTimeout(30_000);
            return socket;
        }

        /** One reply for every frame of three lines. */
        List<String> replies(String requests) throws IOException {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(requests.getBytes(US_ASCII));
                List<String> replies = new ArrayList<>();
                BufferedReader reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
                long expected = Math.max(1, requests.lines().count() / 3);
                while (replies.size() < expected) {
                    replies.add(String.valueOf(reader.readLine()));
                }
                return replies;
            }
        }

        /** The counts that are not zero. */
        SortedMap<String, Long> counts() {
            SortedMap<String, Long> counts = new TreeMap<>();
            tcp.forEachCommand((command, outcome, count) -> {
                if (count.getAsLong() != 0) {
                    counts.put(command + " " + outcome, count.getAsLong());
                }
            });
            return counts;
        }

        @Override
        public void close() {
            tcp.drain(Duration.ofMillis(100)).await();
            vertx.close().await();
        }
    }
}
