package io.flockgate.client.tck;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Records calls, which the test answers; unlike {@link ManualBackend}, it has no server behind it.
 * A call that is not answered stays open.
 */
final class ScriptedBackend implements LeaseBackend {
    /** A call that the test answers. */
    record Call<Q, A>(Q request, CompletableFuture<A> answer) {}

    final List<Call<AcquireRequest, AcquireResult>> acquires = new ArrayList<>();
    final List<CompletionStage<?>> abandonments = new ArrayList<>();
    final List<Call<GrantRequest, RenewResult>> renewals = new ArrayList<>();
    final List<Call<GrantRequest, ReleaseResult>> releases = new ArrayList<>();
    final List<Consumer<? super Loss>> listeners = new ArrayList<>();

    /** How every call breaks the contract of a back end; empty if none does. */
    String fault = "";

    private int subscriptions;

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
        abandonments.add(abandoned);
        return record(acquires, request);
    }

    @Override
    public CompletionStage<RenewResult> renew(GrantRequest request) {
        return record(renewals, request);
    }

    @Override
    public CompletionStage<ReleaseResult> release(GrantRequest request) {
        return record(releases, request);
    }

    @SuppressWarnings("NullAway") // Breaks the contract on purpose.
    private <Q, A> CompletionStage<A> record(List<Call<Q, A>> calls, Q request) {
        Call<Q, A> call = new Call<>(request, new CompletableFuture<>());
        calls.add(call);
        return switch (fault) {
            case "throws" -> throw new IllegalStateException("thrown by the test");
            case "fails" -> throw new AssertionError("thrown by the test");
            case "no-stage" -> null;
            case "no-answer" -> CompletableFuture.completedStage(null);
            default -> call.answer();
        };
    }

    @Override
    public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
        if (fault.equals("deaf")) {
            throw new IllegalStateException("thrown by the test");
        }
        listeners.add(listener);
        subscriptions++;
        return () -> subscriptions--;
    }

    /** The listeners that are registered now. */
    int subscriptions() {
        return subscriptions;
    }

    static <T> T last(List<T> calls) {
        return calls.get(calls.size() - 1);
    }

    /** Grants the last acquire. */
    void grant(String token) {
        grant(token, last(acquires).request().ttl());
    }

    void grant(String token, Duration ttl) {
        last(acquires).answer().complete(new AcquireResult.Granted(token, OptionalLong.of(acquires.size()), ttl));
    }

    void refuse() {
        last(acquires).answer().complete(new AcquireResult.Contended());
    }

    void renew() {
        renew(last(renewals));
    }

    void renew(Call<GrantRequest, RenewResult> call) {
        call.answer().complete(new RenewResult.Renewed(call.request().ttl()));
    }

    void reject() {
        last(renewals).answer().complete(new RenewResult.NotHeld());
    }

    void release() {
        last(releases).answer().complete(ReleaseResult.RELEASED);
    }

    @Override
    public void close() {}
}
