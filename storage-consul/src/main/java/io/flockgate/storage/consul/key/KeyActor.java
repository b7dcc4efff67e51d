package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyType;
import io.flockgate.storage.consul.layout.KeyView;
import io.vertx.core.Promise;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One key on this gateway: takes calls, timers and news of the key from any thread, and carries them out one after the other.
 * Thread safe.
 */
final class KeyActor {
    private static final Logger LOG = LoggerFactory.getLogger(KeyActor.class);

    /** How long a call is tried while Consul does not answer, or elects a leader. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long UNSETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Key key;
    private final Node node;
    private final Consumer<KeyActor> retired;
    private final KeyStore store;
    private final KeyQueue queue;
    private final KeyGrants grants;
    private final KeyClaims claims;
    private final SerialExecutor executor;
    private final AtomicBoolean forgetting = new AtomicBoolean();
    private final Inbox inbox = new Inbox();
    private final OnDemandWatch watch;

    /** Of what follows, all but the volatile is for the key's own thread only. */
    private boolean unsettled;

    private volatile boolean closed;
    private Timer timer = () -> {};
    private volatile long lastActivity;
    private volatile boolean busy;

    KeyActor(Key key, KeyPath path, Node node, long lastActivity, Consumer<KeyActor> retired) {
        this.key = key;
        this.node = node;
        this.retired = retired;
        this.executor = new SerialExecutor(node.environment(), this::afterAll);
        this.store = new KeyStore(node, path, inbox::look);
        this.queue = new KeyQueue(node, store);
        this.grants = new KeyGrants(key, node, store, queue);
        this.queue.grants(grants);
        this.claims = new KeyClaims(node, store, grants, queue);
        this.watch = new OnDemandWatch(node, path, (list, restarted) -> found(list, false, restarted));
        this.lastActivity = lastActivity;
    }

    Key key() {
        return key;
    }

    /** When this gateway last did something about the key. */
    long lastActivity() {
        return lastActivity;
    }

    /** Whether somebody holds or waits here. */
    boolean isBusy() {
        return busy;
    }

    /** False when this desk has retired: there is, or will be, another one. The same for all that follow. */
    boolean claim(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer) {
        long deadline = node.now() + PATIENCE_NANOS;
        return executor.execute(() -> call(answer, deadline, until -> {
            grants.expireDue(until);
            return switch (claims.claim(claim, claimant, until)) {
                case KeyClaims.Decision.Answer decided -> claimed(decided.outcome());
                case KeyClaims.Decision.ToQueue queued -> {
                    enter(claim, claimant, answer, until);
                    yield null;
                }
            };
        }));
    }

    private void enter(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer, long deadline) {
        LocalWaiter waiter = queue.waiter(claim, claimant);
        queue.enter(waiter, deadline, entry -> {
            if (!executor.executeUrgently(() -> entered(waiter, entry, answer))) {
                answer.fail(StorageExceptions.closed());
            }
        });
    }

    private void entered(LocalWaiter waiter, TicketWriter.Entry entry, Promise<ClaimOutcome> answer) {
        answer(answer, () -> {
            ClaimOutcome outcome = claims.entered(waiter, entry, watch.isThere());
            if (outcome instanceof Refusal) {
                // In its turn: those who renew or leave do not wait for those who were refused.
                boolean unused = executor.execute(() -> turnAway(waiter));
            }
            return claimed(outcome);
        });
    }

    private void turnAway(LocalWaiter waiter) {
        if (!closed) {
            queue.turnAway(waiter, node.now() + PATIENCE_NANOS);
            unsettled |= queue.hasLeftBehind();
        }
    }

    private ClaimOutcome claimed(ClaimOutcome outcome) {
        if (outcome != Refusal.KIND_MISMATCH && outcome != Refusal.LIMIT_MISMATCH) {
            lastActivity = node.now();
        }
        return outcome;
    }

    boolean leave(LocalWaiter waiter, Promise<LeaveOutcome> answer) {
        long deadline = node.now() + PATIENCE_NANOS;
        return executor.execute(() -> {
            // However late: a place can be given up without Consul; what stands there is taken back when it answers.
            answer(answer, () -> {
                lastActivity = node.now();
                return queue.leave(waiter, deadline);
            });
            unsettled |= queue.hasLeftBehind();
        });
    }

    /** Before the claims that have come and not begun: somebody waits for what is freed. */
    boolean release(Token token, Promise<ReleaseOutcome> answer) {
        long deadline = node.now() + PATIENCE_NANOS;
        return executor.executeUrgently(() -> call(answer, deadline, until -> {
            ReleaseOutcome outcome = grants.release(token, until);
            if (outcome == ReleaseOutcome.RELEASED) {
                lastActivity = node.now();
            }
            return outcome;
        }));
    }

    boolean renew(Token token, long leaseSeconds, Promise<RenewOutcome> answer) {
        long deadline = node.now() + PATIENCE_NANOS;
        return executor.execute(() -> call(answer, deadline, until -> {
            RenewOutcome outcome = grants.renew(token, leaseSeconds, until);
            if (outcome == RenewOutcome.RENEWED) {
                lastActivity = node.now();
            }
            return outcome;
        }));
    }

    private <T> void call(Promise<T> answer, long deadline, LongFunction<@Nullable T> action) {
        if (!closed && node.now() - deadline >= 0) {
            answer.fail(StorageExceptions.late());
        } else {
            answer(answer, () -> action.apply(deadline));
        }
    }

    /** An action that gives nothing has seen to the answer itself. */
    private <T> void answer(Promise<T> answer, Supplier<@Nullable T> action) {
        if (closed) {
            answer.fail(StorageExceptions.closed());
            return;
        }
        @Nullable T outcome;
        try {
            outcome = action.get();
        } catch (ConsulException e) {
            // What was not done, where nothing is held or waited for, leaves nothing to be settled.
            unsettled |= e.effect() == Effect.UNKNOWN || !grants.isEmpty() || !queue.isEmpty();
            answer.fail(StorageExceptions.of(e));
            return;
        } catch (RuntimeException | Error e) {
            unsettled = true;
            answer.fail(StorageExceptions.unexpected(e));
            throw e;
        }
        if (outcome != null) {
            answer.complete(outcome);
        }
    }

    /**
     * What a watch has found; only the newest counts.
     *
     * @param ofAll whether it is the watch of all keys, whose index it has
     */
    void found(KvList list, boolean ofAll, boolean restarted) {
        if (inbox.put(new Inbox.News(list, ofAll, restarted))) {
            boolean unused = executor.executeUrgently(this::takeIn);
        }
    }

    private void takeIn() {
        Inbox.News newest = inbox.take();
        if (newest == null || closed) {
            return;
        }
        attempt(until -> {
            if (store.offer(newest.list(), newest.ofAll(), newest.restarted(), until)) {
                if (newest.restarted()) {
                    queue.indexesRestarted();
                }
                compare(until);
            }
        });
    }

    /** Compares what is known here with what was last seen in Consul. */
    private void compare(long deadline) {
        KeyView view = store.seen();
        if (view != null) {
            queue.takeGrants(view);
            grants.observe(view);
            grants.tidy(view, deadline);
            queue.tidy(view, deadline);
        }
    }

    /** Everything under these sessions is lost. */
    void sessionsLost(Set<String> sessions) {
        grants.lost(sessions);
        boolean unused = executor.execute(() -> unsettled |= !queue.isEmpty());
    }

    /** Forgets the key if it has been idle for long enough. */
    void forgetIfIdle() {
        if (forgetting.compareAndSet(false, true)) {
            boolean unused = executor.execute(() -> {
                forgetting.set(false);
                long idle = node.now() - lastActivity;
                boolean unusedHere = grants.isEmpty() && queue.isEmpty();
                if (!closed && unusedHere && idle > node.settings().idle().toNanos()) {
                    attempt(this::forget);
                }
            });
        }
    }

    private void forget(long deadline) {
        KeyView before = store.seen();
        KeyView view = store.read(deadline);
        if (before != null && view.newestChange() > before.newestChange()) {
            // Others have used it meanwhile.
            lastActivity = node.now();
        } else if (isMinded(view) || tryToForget(view, deadline)) {
            retireIfUnused(true);
        }
    }

    /** Whether the key is there for others, or is not there at all: then it is no more minded here. */
    private boolean isMinded(KeyView view) {
        boolean used = !view.slots().isEmpty() || !view.queue().isEmpty();
        boolean foreign = view.path().mapped()
                || view.type().filter(KeyType.Foreign.class::isInstance).isPresent();
        return used || foreign || !view.exists();
    }

    private boolean tryToForget(KeyView view, long deadline) {
        WriteOutcome written = store.write(node.transactions().forget(view), after -> !after.exists(), deadline);
        if (written instanceof WriteOutcome.Done) {
            node.keyIndex().gone(store.path());
            return true;
        }
        return false;
    }

    private void retireIfUnused(boolean forgotten) {
        KeyView view = store.seen();
        boolean nothing = forgotten || view == null || !view.exists();
        if (nothing && grants.isEmpty() && queue.isEmpty() && !watch.isThere() && !unsettled && executor.end()) {
            timer.cancel();
            retired.accept(this);
        }
    }

    /** Does what is due; what fails, in whatever way, is tried again soon. */
    private void attempt(Consumer<Long> action) {
        try {
            action.accept(node.now() + PATIENCE_NANOS);
        } catch (ConsulException e) {
            unsettled = true;
            LOG.atDebug()
                    .addKeyValue("key", key)
                    .addKeyValue("error", e.getMessage())
                    .log("to be tried again");
        } catch (RuntimeException | Error e) {
            unsettled = true;
            LOG.error("unexpected failure at a key, to be tried again", e);
        }
    }

    private void afterAll() {
        if (closed) {
            return;
        }
        if (!grants.isEmpty() || !queue.isEmpty()) {
            attempt(until -> {
                grants.expireDue(until);
                queue.advance(until);
            });
        }
        busy = !grants.isEmpty() || !queue.isEmpty();
        watch.keep(needsWatch(), store.seen());
        setTimer();
        retireIfUnused(false);
    }

    private void tick() {
        boolean unused = executor.execute(() -> {
            if (unsettled && !closed) {
                unsettled = false;
                attempt(this::settle);
            }
        });
    }

    private void settle(long deadline) {
        KeyView unused = store.read(deadline);
        compare(deadline);
    }

    private void setTimer() {
        timer.cancel();
        long due = Math.min(grants.nextDue(node.now()), Math.min(queue.nextDue(), watch.due(needsWatch())));
        if (unsettled) {
            due = Math.clamp(due, UNSETTLED_NANOS / 10, UNSETTLED_NANOS);
        }
        timer = due == Long.MAX_VALUE ? () -> {} : node.environment().after(Math.max(0, due), this::tick);
    }

    private boolean needsWatch() {
        return !queue.isEmpty() || (store.path().mapped() && !grants.isEmpty());
    }

    /** Ends all that is held here, and answers what is still asked as closed. */
    void close(Promise<Void> done) {
        closed = true;
        boolean open = executor.execute(() -> {
            try {
                timer.cancel();
                watch.stop();
                queue.close();
                grants.close(node.now() + TimeUnit.SECONDS.toNanos(2));
            } catch (ConsulException e) {
                LOG.atDebug().addKeyValue("key", key).log("left to the end of its session");
            } finally {
                done.complete();
            }
        });
        if (!open) {
            done.complete();
        }
    }
}
