package io.flockgate.gateway.rest.session;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.eventloop.FakeEventLoop;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one request, with the reports that it has received. It acts as an exchange
 * does, on an event loop of the test.
 */
final class FakeReceiver implements Call.Receiver {
    final List<Outcome> answers = new ArrayList<>();

    private final FakeEventLoop loop;
    private final boolean rendersAtOnce;
    private @Nullable Call call;
    private boolean gone;
    private int goneReports;
    private int overloadedReports;

    private FakeReceiver(FakeEventLoop loop, boolean rendersAtOnce) {
        this.loop = loop;
        this.rendersAtOnce = rendersAtOnce;
    }

    /** A receiver that sends its answers as soon as they arrive. */
    static FakeReceiver on(FakeEventLoop loop) {
        return new FakeReceiver(loop, true);
    }

    /** A receiver that sends its answers when the test says so. */
    static FakeReceiver slowOn(FakeEventLoop loop) {
        return new FakeReceiver(loop, false);
    }

    @CanIgnoreReturnValue
    FakeReceiver ask(HttpSession session, LockRequest request) {
        Call made = session.call(request, loop, this);
        call = made;
        if (gone) {
            made.abandon();
        }
        return this;
    }

    /** The client ends its connection. */
    void leave() {
        gone = true;
        if (call != null && answers.isEmpty()) {
            call.abandon();
        }
    }

    void render() {
        requireNonNull(call).answerWritten();
    }

    /** The answer, which was on its way, has not reached the client. */
    void loseAnswer() {
        requireNonNull(call).undelivered(answer());
    }

    Outcome answer() {
        return answers.getLast();
    }

    /** How often it was notified that the session has ended. */
    int goneReports() {
        return goneReports;
    }

    /** How often it was notified that too many calls are pending. */
    int overloadedReports() {
        return overloadedReports;
    }

    boolean heardNothing() {
        return answers.isEmpty() && goneReports == 0 && overloadedReports == 0;
    }

    @Override
    public void completed(Call answered, Outcome outcome) {
        if (gone) {
            answered.clientGone(outcome);
            return;
        }
        answers.add(outcome);
        if (rendersAtOnce) {
            answered.answerWritten();
        }
    }

    @Override
    public void sessionGone() {
        goneReports++;
    }

    @Override
    public void overloaded() {
        overloadedReports++;
    }
}
