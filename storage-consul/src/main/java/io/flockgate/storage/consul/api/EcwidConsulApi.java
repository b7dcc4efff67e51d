package io.flockgate.storage.consul.api;

import com.ecwid.consul.transport.HttpResponse;
import com.ecwid.consul.v1.ConsistencyMode;
import com.ecwid.consul.v1.ConsulRawClient;
import com.ecwid.consul.v1.OperationException;
import com.ecwid.consul.v1.QueryParams;
import com.ecwid.consul.v1.Request;
import com.ecwid.consul.v1.Response;
import com.ecwid.consul.v1.catalog.CatalogConsulClient;
import com.ecwid.consul.v1.catalog.model.CatalogNode;
import com.ecwid.consul.v1.session.SessionConsulClient;
import com.ecwid.consul.v1.session.model.Session;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.kv.ConsulException;
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
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Consul agent over Ecwid's client: each call is a request, and each answer is read into a value
 * or classified as a failure. Entries and transactions use the client's raw part, because its typed
 * calls cannot carry Consul's unsigned flags, would need memory for a list as text, and do not
 * support transactions. Keys are percent-encoded here, because Ecwid's client does not encode them.
 */
public final class EcwidConsulApi implements ConsulApi {
    private final EcwidTransport transport;

    /**
     * Opens no connection yet.
     *
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    public EcwidConsulApi(Environment environment, ConsulOptions options) {
        this(environment, options, BoundedHttpClient.Limits.STANDARD);
    }

    /**
     * Opens no connection yet.
     *
     * @param command the time limit of reads and writes, up to 9 s
     * @throws IllegalArgumentException when the certificate files cannot be used
     */
    public EcwidConsulApi(Environment environment, ConsulOptions options, Duration command) {
        this(environment, options, BoundedHttpClient.Limits.STANDARD.withCommand(Math.toIntExact(command.toMillis())));
    }

    EcwidConsulApi(Environment environment, ConsulOptions options, BoundedHttpClient.Limits limits) {
        this.transport = new EcwidTransport(environment, options, limits);
    }

    @Override
    public KvList list(String prefix, Consistency consistency) {
        List<String> parameters = switch (consistency) {
            case DEFAULT -> List.of("recurse");
            case CONSISTENT -> List.of("recurse", "consistent");
        };
        return transport.list((consul, pending) -> kvList(consul, pending, prefix, parameters));
    }

    @Override
    public KvList watch(String prefix, long index, Duration wait) {
        List<String> parameters =
                List.of("recurse", "index=" + Long.toUnsignedString(index), "wait=" + seconds(wait) + "s");
        return transport.watch(seconds(wait), (consul, pending) -> kvList(consul, pending, prefix, parameters));
    }

    private static long seconds(Duration wait) {
        return Math.max(1, wait.toSeconds());
    }

    private KvList kvList(
            ConsulRawClient consul, BoundedHttpClient.Pending pending, String prefix, List<String> parameters) {
        HttpResponse answer = consul.makeGetRequest(Request.Builder.newBuilder()
                .setEndpoint("/v1/kv/" + key(prefix))
                .addUrlParameter(() -> parameters)
                .build());
        int status = answer.getStatusCode();
        if (status != 404 && status != 200) {
            throw transport.refused(status, answer.getContent());
        }
        List<KvEntry> entries = status == 200 ? read(pending.list::required) : List.of();
        return new KvList(entries, indexed(answer.getConsulIndex()));
    }

    /**
     * Requires an index. Without one, a watch would spin, and a 404 may come from a server other
     * than Consul.
     */
    private static long indexed(@Nullable Long index) {
        if (index == null || index == 0) {
            throw Failures.ofInvalidAnswer(new IOException("no X-Consul-Index"));
        }
        return index;
    }

    @Override
    public TxnOutcome txn(List<KvOp> operations) {
        try {
            return outcome(put("/v1/txn", () -> RequestJson.txn(operations)));
        } catch (ConsulException e) {
            return Failures.outcome(e);
        }
    }

    private TxnOutcome outcome(HttpResponse answer) {
        return switch (answer.getStatusCode()) {
            case 200 -> new TxnOutcome.Committed(read(() -> ResponseJson.results(answer.getContent())));
            case 409 -> conflict(answer);
            default -> throw transport.refused(answer.getStatusCode(), answer.getContent());
        };
    }

    private TxnOutcome conflict(HttpResponse answer) {
        TxnOutcome outcome;
        try {
            outcome = Failures.ofObstacles(ResponseJson.obstacles(answer.getContent()));
        } catch (JsonException e) {
            throw transport.refused(answer.getStatusCode(), answer.getContent());
        }
        if (outcome instanceof TxnOutcome.NotDone refusal && refusal.cause().kind() == FailureKind.DENIED) {
            transport.tokenRefused();
        }
        return outcome;
    }

    // Ecwid's own request cannot ask for a session without checks as Consul 1.7 and later expect it.
    @Override
    public String createSession(String name, Duration ttl) {
        transport.openRenewals();
        HttpResponse answer = put("/v1/session/create", () -> RequestJson.session(name, ttl));
        if (answer.getStatusCode() != 200) {
            throw transport.refused(answer.getStatusCode(), answer.getContent());
        }
        return read(() -> ResponseJson.id(answer.getContent()));
    }

    private HttpResponse put(String endpoint, Supplier<byte[]> body) {
        Request request = Request.Builder.newBuilder()
                .setEndpoint(endpoint)
                .setBinaryContent(written(body))
                .build();
        return transport.command(consul -> consul.makePutRequest(request));
    }

    @Override
    public boolean renewSession(String id) {
        return transport.renewal(consul -> {
            try {
                new SessionConsulClient(consul).renewSession(encoded(id), QueryParams.DEFAULT);
                return true;
            } catch (OperationException e) {
                if (e.getStatusCode() == 404 && e.getStatusContent().startsWith("Session id ")) {
                    return false;
                }
                throw e;
            }
        });
    }

    @Override
    public @Nullable String sessionNode(String id) {
        Session session = transport
                .command(consul -> new SessionConsulClient(consul).getSessionInfo(encoded(id), QueryParams.DEFAULT))
                .getValue();
        return session == null ? null : session.getNode();
    }

    @Override
    public long nodeIndex(String node) {
        return transport.command(consul -> {
            try {
                return createIndex(new CatalogConsulClient(consul)
                        .getCatalogNode(encoded(node), new QueryParams(ConsistencyMode.CONSISTENT)));
            } catch (OperationException e) {
                if (e.getStatusCode() == 403) {
                    return 0L;
                }
                throw e;
            }
        });
    }

    private static long createIndex(Response<CatalogNode> answer) {
        CatalogNode found = answer.getValue();
        return found == null || found.getNode() == null || found.getNode().getCreateIndex() == null
                ? 0
                : found.getNode().getCreateIndex();
    }

    @Override
    public void destroySession(String id) {
        Object unused = transport.command(
                consul -> new SessionConsulClient(consul).sessionDestroy(encoded(id), QueryParams.DEFAULT));
    }

    private static <T> T read(Supplier<T> reader) {
        try {
            return reader.get();
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

    private static String key(String prefix) {
        return encoded(prefix).replace("%2F", "/");
    }

    private static String encoded(String text) {
        return PercentEncoding.of(written(() -> RequestJson.wellFormed(text)), StandardCharsets.UTF_8);
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
