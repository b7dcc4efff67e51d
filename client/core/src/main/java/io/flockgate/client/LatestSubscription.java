package io.flockgate.client;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The latest of several subscriptions, for example of timers that replace each other. A
 * subscription is closed when another replaces it. After {@link #close()}, any further subscription
 * is closed at once. Safe from any thread; no lock is held while a subscription is closed.
 */
final class LatestSubscription implements Subscription {
    private static final class Closed implements Subscription {
        @Override
        public void close() {}
    }

    private static final Subscription NONE = () -> {};
    private static final Subscription CLOSED = new Closed();

    private final AtomicReference<Subscription> latest = new AtomicReference<>(NONE);

    void replace(Subscription next) {
        Subscription former = latest.getAndUpdate(now -> now instanceof Closed ? now : next);
        (former instanceof Closed ? next : former).close();
    }

    /** Closes the latest subscription; another may follow. */
    void cancel() {
        replace(NONE);
    }

    @Override
    public void close() {
        latest.getAndSet(CLOSED).close();
    }
}
