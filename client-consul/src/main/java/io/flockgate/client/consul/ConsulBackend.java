package io.flockgate.client.consul;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseException;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import io.flockgate.client.concurrent.Seconds;
import io.flockgate.client.http.Reasons;
import io.flockgate.client.support.BlockingCalls;
import io.flockgate.client.support.BlockingCalls.Order;
import io.flockgate.client.support.WaitLog;
import io.flockgate.consul.format.Names;
import io.flockgate.consul.kv.ConsulException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Leases over Consul, without a gateway. Services and gateways on the same Consul are equals: they
 * share keys, queues and fences (protocol-docs/consul-layout.md).
 *
 * <ol>
 *   <li>A grant has the form of a gateway's detached grant: its own session, and a mark that each
 *       renewal rewrites. The slot of a dead holder is therefore free one second after its lease
 *       ends, if another client checks it.
 *   <li>Each call runs on its own thread, virtual if the JVM has such threads.
 *   <li>At most eight requests run concurrently, renewals first. Up to four of them are blocking
 *       reads, one for each key, for the claims that wait there and for watched grants. Other keys
 *       are read in turns ({@link KeyPolls}). At most eight grants are watched. The loss of another
 *       is noticed at its next renewal, or when a watched one is lost or a snapshot was restored.
 *   <li>At most eight claims with a wait are in progress, and the time of their requests begins
 *       with their turn ({@link Queueing}).
 * </ol>
 *
 * Safe from any thread.
 *
 * {@snippet :
 * LeaseProvider leases = ConsulBackend.connect(ConsulOptions.agents(List.of(URI.create("consul://127.0.0.1:8500"))));
 * }
 */
public final class ConsulBackend implements LeaseBackend {
    private static final int MAX_WATCHED_GRANTS = 8;
    private static final int TRIES_BEFORE_QUEUEING = 3;

    /** Consul's maximum for the TTL of a session. */
    private static final Duration LONGEST_TTL = Duration.ofDays(1);

    /** Consul's usual minimum. */
    private static final Duration TICKET_TTL = Duration.ofSeconds(10);

    private final ConsulOptions options;
    private final BlockingCalls calls;
    private final ConsulHttp http;
    private final Semaphore watching = new Semaphore(MAX_WATCHED_GRANTS);

    /** The subscriptions that end the running waits and watches. */
    private final Set<Subscription> running = ConcurrentHashMap.newKeySet();

    private final Parts parts;
    private final Grants grants;
    private final Grants renewals;
    private final KnownGrants known;

    /** Creates a back end that contacts Consul only when it is first used. */
    public ConsulBackend(ConsulOptions options) {
        this.options = options;
        this.calls = new BlockingCalls(options.ioExecutor(), "flockgate-client-consul");
        var environment = options.environment();
        this.http =
                new ConsulHttp(options.agents(), options::token, options.tls(), calls.threads(), environment.ticker());
        ConsulApi api = new ConsulApi(http);
        Records records = new Records(api, options.base(), options.mapped(), options.holders(), environment);
        String unique = HexFormat.of().toHexDigits(environment.random().nextInt());
        Writer writer = new Writer(api, records, environment);
        this.parts = new Parts(
                api,
                records,
                writer,
                new ObservedEntries(environment.ticker()),
                environment,
                Names.process(options.clientName(), unique),
                options.clientName(),
                new ClientField(options.givenName(), environment.wallClock()),
                longer(options.leastTtl(), TICKET_TTL),
                new LostSessions(api, environment, calls),
                new UndeliveredGrants(api, environment, calls),
                new AtomicLong(),
                new RequestLimit(),
                new KeyPolls(api, environment.ticker(), calls),
                WaitLog.of(environment));
        this.grants = new Grants(parts);
        this.renewals = new Grants(parts.forRenewals());
        this.known = new KnownGrants(parts, calls);
        parts.polls().onSuspicion(known::look);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Leases over a new back end with these options. Closing the provider closes the back end. */
    public static LeaseProvider connect(ConsulOptions options) {
        return Flockgate.provider(new ConsulBackend(options), options.environment());
    }

    @Override
    public void check(LeaseOptions lease) {
        if (lease.ttl().compareTo(options.leastTtl()) < 0 || lease.ttl().compareTo(LONGEST_TTL) > 0) {
            throw new LeaseConfigException("Consul's sessions last from " + Seconds.of(options.leastTtl()) + " to "
                    + Seconds.of(LONGEST_TTL) + ": a ttl of " + Seconds.of(lease.ttl()) + " cannot be asked for");
        }
    }

    @Override
    public String clientName() {
        return options.clientName();
    }

    @Override
    public String servers() {
        return Errors.servers(options.agents());
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
        CompletableFuture<Void> stop = new CompletableFuture<>();
        var unused = request.abandoned().whenComplete((nothing, failure) -> stop.complete(null));
        long until = parts.nanos() + request.maxWait().toNanos();
        Order order = request.maxWait().isZero() ? Order.SHORT : Order.LONG;
        return call(order, request.timeout(), failure -> failure instanceof Errors.GrantUncertainException, () -> {
            Subscription end = begin(stop);
            try {
                return claim(request, stop, until);
            } finally {
                running.remove(end);
            }
        });
    }

    private Subscription begin(CompletableFuture<Void> stop) {
        Subscription end = () -> stop.complete(null);
        running.add(end);
        if (calls.isClosed()) {
            end.close();
        }
        return end;
    }

    private AcquireResult claim(AcquireRequest request, CompletableFuture<?> stop, long until) {
        Claim claim = new Claim(parts, request, until);
        try {
            AcquireResult result = request.maxWait().isZero()
                    ? claim.takeFree(Integer.MAX_VALUE)
                    : waitFor(new Queueing(parts, claim, stop, until));
            if (result == null && calls.isClosed()) {
                throw new LeaseClosedException("the client is closed");
            }
            return result == null ? new AcquireResult.Contended() : result;
        } finally {
            // Later, because the answer must not wait for it.
            calls.execute(claim::end);
        }
    }

    private static AcquireResult.@Nullable Granted waitFor(Queueing queue) {
        AcquireResult.Granted granted;
        try {
            granted = queue.takeFree(TRIES_BEFORE_QUEUEING);
        } catch (ConsulException failed) {
            return queue.awaitAfter(failed);
        }
        return granted != null ? granted : queue.await();
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return call(Order.RENEWAL, request.timeout(), failure -> true, () -> renewals.renew(request));
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return call(Order.SHORT, request.timeout(), failure -> true, () -> {
            Grants.Released released = grants.release(request);
            String session = released.session();
            if (session != null) {
                calls.execute(() -> parts.endSession(session, request.timeout()));
            }
            return released.result();
        });
    }

    /** Runs a call, unless its timeout has passed when its turn comes. */
    private <T> CompletionStage<T> call(
            Order order, Duration timeout, Predicate<ConsulException> mayHold, Callable<T> task) {
        long latest = parts.nanos() + timeout.toNanos();
        Callable<T> inTime = () -> {
            if (order != Order.LONG && latest - parts.nanos() <= 0) {
                throw new LeaseUnavailableException("too many calls are waiting for " + servers(), false, null);
            }
            return task.call();
        };
        return calls.call(order, inTime, failure -> {
            if (failure instanceof ConsulException failed) {
                return Errors.forUsers(failed, mayHold.test(failed), options.agents());
            }
            boolean understood = failure instanceof LeaseException
                    || failure instanceof LeaseClosedException
                    || failure instanceof LeaseConfigException;
            return understood
                    ? failure
                    : new LeaseUnavailableException("the client failed: " + Reasons.of(failure), true, failure);
        });
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        Subscription looks = known.add(grant, listener);
        if (!watching.tryAcquire()) {
            return looks;
        }
        CompletableFuture<Void> stop = new CompletableFuture<>();
        try {
            calls.execute(() -> watch(grant, listener, stop));
        } catch (RejectedExecutionException closing) {
            watching.release();
        }
        return () -> {
            looks.close();
            stop.complete(null);
        };
    }

    private void watch(GrantRequest grant, Consumer<? super Loss> listener, CompletableFuture<Void> stop) {
        Subscription end = begin(stop);
        try {
            new LossWatch(parts, grant, stop, known::look).run(listener);
        } finally {
            running.remove(end);
            watching.release();
        }
    }

    @Override
    public void close() {
        calls.close(http::close);
        running.forEach(Subscription::close);
        parts.lost().close();
        parts.undelivered().close();
        parts.polls().close();
        known.close();
    }
}
