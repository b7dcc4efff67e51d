package io.flockgate.client.tck.model;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackend.AcquireResult;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The path of one client to the server and back. Requests and answers are late or lost. A request
 * is late by less than half the request timeout; an answer may be late by more than the ttl.
 */
final class Network implements LeaseBackend {
    private final World world;
    private final ModelServer server;
    private final Machine machine;
    private final Map<String, Consumer<? super Loss>> listeners = new HashMap<>();
    private final List<Sent> renewals = new ArrayList<>();
    private final Set<String> rejected = new HashSet<>();
    private double loss;
    private double lateness;
    private boolean othersThere;

    private record Sent(String token, long at, CompletableFuture<?> answer) {}

    Network(World world, ModelServer server, Machine machine) {
        this.world = world;
        this.server = server;
        this.machine = machine;
    }

    void changeWeather() {
        loss = world.chance(0.4) ? 0 : world.chance(0.3) ? 1 : world.between(0, 0.5);
        lateness = world.chance(0.5) ? 0 : world.between(0, 0.4);
    }

    /** True if the last negative answer that arrived here had a reason other than this client. */
    boolean othersThere() {
        return othersThere;
    }

    private boolean lost() {
        return !world.isCalm() && world.chance(loss);
    }

    private long requestDelay(long timeout) {
        return world.isCalm() || !world.chance(lateness) ? world.upTo(World.SECOND / 50) : world.upTo(timeout / 2);
    }

    private long answerDelay() {
        boolean late = !world.isCalm() && world.chance(lateness);
        return late ? world.upTo(world.chance(0.5) ? World.TTL / 4 : 2 * World.TTL) : world.upTo(World.SECOND / 50);
    }

    /** Makes a lost call fail some time later, or never complete. */
    private void fail(CompletableFuture<?> answer, long timeout) {
        if (world.chance(0.5)) {
            toClient(
                    world.upTo(timeout),
                    () -> answer.completeExceptionally(new LeaseUnavailableException("lost", true, null)));
        }
    }

    private void toClient(long delay, Runnable task) {
        world.after(delay, () -> machine.run(task));
    }

    private <T> CompletableFuture<T> call(long timeout, Consumer<Consumer<T>> atServer) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (lost()) {
            fail(answer, timeout);
            return answer;
        }
        world.after(
                requestDelay(timeout),
                () -> atServer.accept(result -> {
                    if (lost()) {
                        fail(answer, timeout);
                    } else {
                        toClient(answerDelay(), () -> answer.complete(result));
                    }
                }));
        return answer;
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        long timeout = request.timeout().toNanos();
        List<ModelServer.Claim> arrived = new ArrayList<>();
        abandoned.thenRun(() -> {
            if (!lost()) {
                // After the claim, which is late by less.
                world.after(timeout / 2 + requestDelay(timeout), () -> arrived.forEach(server::leave));
            }
        });
        return this.<ModelServer.Answer>call(timeout, answer -> {
                    ModelServer.Claim claim =
                            new ModelServer.Claim(this, request.maxWait().toNanos(), answer);
                    arrived.add(claim);
                    server.acquire(claim);
                })
                .thenApply(answer -> {
                    othersThere = answer.othersThere();
                    return answer.result();
                });
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        long now = machine.nanos();
        long timeout = request.timeout().toNanos();
        renewals.removeIf(sent -> sent.answer().isDone() || now - sent.at() >= timeout);
        world.require(
                renewals.stream().noneMatch(sent -> sent.token().equals(request.token())),
                "one renewal of a grant is under way at a time");
        world.require(!rejected.contains(request.token()), "no renewal follows a rejection");
        CompletableFuture<RenewResult> answer = call(timeout, told -> told.accept(server.renew(request.token())));
        renewals.add(new Sent(request.token(), now, answer));
        var unused = answer.thenAccept(result -> {
            // The confirmation of a grant after a wait ignores an answer that arrives after its
            // timeout.
            if (result instanceof RenewResult.NotHeld && machine.nanos() - now < timeout) {
                rejected.add(request.token());
            }
        });
        return answer;
    }

    /** True if the server has answered to this client that it does not hold the grant. */
    boolean wasRejected(String token) {
        return rejected.contains(token);
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return call(request.timeout().toNanos(), told -> told.accept(server.release(request.token())));
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        listeners.put(grant.token(), listener);
        return () -> listeners.remove(grant.token());
    }

    /** Reports a loss at the server. Each client handles only losses of its own grants. */
    void news(String token, Loss news) {
        if (!lost()) {
            toClient(answerDelay(), () -> {
                Consumer<? super Loss> listener = listeners.get(token);
                if (listener != null) {
                    listener.accept(news);
                }
            });
        }
    }

    @Override
    public void close() {}
}
