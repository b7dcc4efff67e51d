package io.flockgate.client;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.support.Reasons;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A slot that the server may still hold although its lease does not use it: an unconfirmed release,
 * or a grant that expired in this process. While there is one, a refusal by the server may be due
 * to the lease itself. Part of {@link LeaseMachine}, and as pure.
 *
 * <ol>
 *   <li>A release is sent, and sent again after growing pauses. An attempt without an answer within
 *       the request timeout has failed.
 *   <li>After the request timeout, the release is reported as unconfirmed, but the attempts
 *       continue.
 *   <li>The attempts end when the server has confirmed one, or has ended the grant itself, or the
 *       client is closed.
 * </ol>
 *
 * A release names the token, so it never affects a later grant, however late it arrives.
 */
final class Orphan {
    private final LeaseMachine machine;
    private final GrantRequest request;
    private final Moment serverEnd;

    /** Is called once, when the release is confirmed, or is known not to be. */
    private @Nullable BiConsumer<@Nullable LeaseReleaseException, Moment> reported;

    private int tries;
    private @Nullable Throwable lastFailure;
    private @Nullable Moment sendAt;
    private @Nullable Moment answerDue;
    private @Nullable Moment reportDue;

    /**
     * A slot without a release.
     *
     * @param serverEnd the moment from which the server no longer holds it
     */
    Orphan(LeaseMachine machine, GrantRequest request, Moment serverEnd) {
        this.machine = machine;
        this.request = request;
        this.serverEnd = serverEnd;
    }

    /** Releases the slot now. */
    void release(BiConsumer<@Nullable LeaseReleaseException, Moment> whenReported, Moment now) {
        reported = whenReported;
        reportDue = now.plus(machine.options.requestTimeout());
        send(now);
    }

    /** Releases the slot later; nothing waits for it. */
    void releaseAt(Moment at) {
        sendAt = at;
    }

    private void send(Moment now) {
        tries++;
        sendAt = null;
        answerDue = now.plus(machine.options.requestTimeout());
        machine.actions.release(this, request, tries);
    }

    /** The server has confirmed a release, however late. */
    void released(Moment now) {
        sendAt = null;
        answerDue = null;
        machine.forget(this);
        report(null, now);
    }

    /** A release has no usable answer. A late one is ignored. */
    void failed(int attempt, Throwable failure, Moment now) {
        if (attempt != tries || answerDue == null) {
            return;
        }
        answerDue = null;
        lastFailure = failure;
        Duration pause = machine.options.retryPause(tries);
        if (pause.compareTo(serverEnd.since(now)) < 0 && !(failure instanceof LeaseClosedException)) {
            sendAt = now.plus(pause);
        } else {
            report(unconfirmed(Reasons.of(failure), failure), now);
        }
    }

    private LeaseReleaseException unconfirmed(String why, @Nullable Throwable cause) {
        return new LeaseReleaseException(
                "the release of " + request.name() + " is not confirmed (" + why + "); the slot is free by "
                        + serverEnd.instant(),
                serverEnd.instant(),
                cause);
    }

    private void report(@Nullable LeaseReleaseException unconfirmed, Moment now) {
        BiConsumer<@Nullable LeaseReleaseException, Moment> told = reported;
        reported = null;
        reportDue = null;
        if (told != null) {
            told.accept(unconfirmed, now);
        }
    }

    void tick(Moment now) {
        if (Moment.isDue(reportDue, now)) {
            String why =
                    lastFailure != null ? Reasons.of(lastFailure) : "no answer from " + machine.actions.server(request);
            report(unconfirmed(why, lastFailure), now);
        }
        if (Moment.isDue(answerDue, now)) {
            failed(tries, machine.noAnswer(request, machine.options.requestTimeout()), now);
        } else if (Moment.isDue(sendAt, now)) {
            send(now);
        }
    }

    @Nullable
    Moment due() {
        return Moment.earliest(sendAt, answerDue, reportDue);
    }

    /** Whether the server may still hold the slot. */
    boolean mayBeHeld(Moment now) {
        return !Moment.isDue(serverEnd, now);
    }

    /** Whether nothing is left to do, and nothing to wait for. */
    boolean isOver(Moment now) {
        return due() == null && !mayBeHeld(now);
    }
}
