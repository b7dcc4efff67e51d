package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.StrictJson;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.Failures;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.RequestJson;
import io.flockgate.storage.consul.kv.ResponseJson;
import io.flockgate.storage.consul.kv.TxnOutcome;
import io.flockgate.text.PercentEncoding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Consul agent over HTTP: each call is a request, and each answer is read into a value or
 * classified as a failure. Keys are percent-encoded here, because Ecwid's client does not encode
 * them.
 */
public final class EcwidConsulApi implements ConsulApi {
    private final EcwidTransport transport;

    /**
     * Opens no connection yet.
     *
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    public EcwidConsulApi(Environment environment, ConsulOptions options) {
        this(environment, options, EcwidTransport.Limits.STANDARD);
    }

    /**
     * Opens no connection yet.
     *
     * @param command the time limit of reads and writes, up to 9 s
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    public EcwidConsulApi(Environment environment, ConsulOptions options, Duration command) {
        this(environment, options, EcwidTransport.Limits.STANDARD.withCommand(Math.toIntExact(command.toMillis())));
    }

    EcwidConsulApi(Environment environment, ConsulOptions options, EcwidTransport.Limits limits) {
        this.transport = new EcwidTransport(environment, options, limits);
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        return kvList(transport.list(
                kv(prefix),
                switch (consistency) {
                    case DEFAULT -> List.of("recurse");
                    case CONSISTENT -> List.of("recurse", "consistent");
                }));
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait) {
        return watch(prefix, index, wait, List.of());
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait, List<KvEntry> known) {
        List<String> parameters = new ArrayList<>(List.of("recurse"));
        parameters.addAll(waiting(index, wait));
        return kvList(transport.watch(kv(prefix), parameters, seconds(wait), known));
    }

    private static List<String> waiting(long index, Duration wait) {
        return List.of("index=" + Long.toUnsignedString(index), "wait=" + seconds(wait) + "s");
    }

    private static long seconds(Duration wait) {
        return Math.max(1, wait.toSeconds());
    }

    private KvList kvList(ConsulResponse answer) {
        requireWhole(answer);
        if (answer.status() != 404 && !answer.ok()) {
            throw Failures.ofAnswer(answer.status(), answer.words());
        }
        List<KvEntry> entries = answer.ok() ? listed(answer) : List.of();
        if (answer.index() == 0) {
            // Without an index, a watch would spin. A 404 without an index may come from a server
            // other than Consul.
            throw Failures.ofInvalidAnswer(new IOException("no X-Consul-Index in an answer " + answer.status()));
        }
        return new KvList(entries, answer.index());
    }

    /**
     * Refuses an incomplete list, whose missing entries would seem not to exist, and their holders
     * to be dead.
     */
    private void requireWhole(ConsulResponse answer) {
        if (answer.filtered()) {
            transport.tokenRefused();
            throw new ConsulException(
                    FailureKind.DENIED,
                    Effect.NOT_DONE,
                    "Permission denied: Consul left out entries that the token may not read");
        }
    }

    @Override
    public List<String> names(String prefix, String separator) {
        List<String> parameters = List.of("keys", "separator=" + encoded(separator));
        ConsulResponse answer = transport.get(kv(prefix), parameters);
        requireWhole(answer);
        if (answer.status() == 404 && answer.index() != 0) {
            return List.of();
        }
        return understood(expectOk(answer), ResponseJson::names);
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        try {
            return outcome(transport.put("/v1/txn", written(() -> RequestJson.txn(operations))));
        } catch (ConsulException e) {
            return Failures.outcome(e);
        }
    }

    private TxnOutcome outcome(ConsulResponse answer) {
        return switch (answer.status()) {
            case 200 -> new TxnOutcome.Committed(understood(answer, ResponseJson::results));
            case 409 -> refused(answer);
            default -> throw Failures.ofAnswer(answer.status(), answer.words());
        };
    }

    private TxnOutcome refused(ConsulResponse answer) {
        TxnOutcome outcome;
        try {
            outcome = Failures.ofObstacles(ResponseJson.obstacles(answer.body()));
        } catch (JsonException e) {
            throw Failures.ofAnswer(answer.status(), answer.words());
        }
        if (outcome instanceof TxnOutcome.NotDone refusal && refusal.cause().kind() == FailureKind.DENIED) {
            transport.tokenRefused();
        }
        return outcome;
    }

    @Override
    public String createSession(SessionSpec spec) {
        transport.openRenewals();
        ConsulResponse answer =
                transport.put("/v1/session/create", written(() -> RequestJson.session(spec.name(), spec.ttl())));
        return understood(expectOk(answer), ResponseJson::id);
    }

    @Override
    public boolean renewSession(String id) {
        ConsulResponse answer = transport.renew("/v1/session/renew/" + encoded(id));
        if (answer.status() == 404 && answer.words().startsWith("Session id ")) {
            return false;
        }
        expectOk(answer);
        return true;
    }

    @Override
    public SessionRead watchSession(String id, long index, Duration wait) {
        String endpoint = "/v1/session/info/" + encoded(id);
        ConsulResponse answer = index == 0
                ? transport.get(endpoint, List.of())
                : transport.watch(endpoint, waiting(index, wait), seconds(wait), null);
        String node = understood(expectOk(answer), ResponseJson::sessionNode);
        return new SessionRead(node, Math.max(1, answer.index()));
    }

    @Override
    public long nodeIndex(String node) {
        ConsulResponse answer = transport.get("/v1/catalog/node/" + encoded(node), List.of("consistent"));
        return answer.status() == 403 ? 0 : understood(expectOk(answer), ResponseJson::nodeIndex);
    }

    @Override
    public void destroySession(String id) {
        expectOk(transport.put("/v1/session/destroy/" + encoded(id), EcwidTransport.NO_BODY));
    }

    @CanIgnoreReturnValue
    private static ConsulResponse expectOk(ConsulResponse answer) {
        if (!answer.ok()) {
            throw Failures.ofAnswer(answer.status(), answer.words());
        }
        return answer;
    }

    private static List<KvEntry> listed(ConsulResponse answer) {
        try {
            return answer.list().required();
        } catch (JsonException e) {
            throw Failures.ofInvalidAnswer(e);
        }
    }

    private static <T extends @Nullable Object> T understood(ConsulResponse answer, Function<byte[], T> reader) {
        try {
            return reader.apply(answer.body());
        } catch (JsonException e) {
            throw Failures.ofInvalidAnswer(e);
        }
    }

    private static <T> T written(Supplier<T> writer) {
        try {
            return writer.get();
        } catch (JsonException e) {
            throw new ConsulException(
                    FailureKind.INVALID, Effect.NOT_DONE, "cannot be sent to Consul: " + e.getMessage(), e);
        }
    }

    private static String kv(String prefix) {
        return "/v1/kv/" + encoded(prefix).replace("%2F", "/");
    }

    private static String encoded(String text) {
        return PercentEncoding.of(written(() -> StrictJson.whole(text)), StandardCharsets.UTF_8);
    }

    @Override
    public void onRefusal(Runnable listener) {
        transport.onRefusal(listener);
    }

    @Override
    public void close() {
        transport.close();
    }
}
