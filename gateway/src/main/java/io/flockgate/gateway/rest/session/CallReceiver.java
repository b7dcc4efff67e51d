package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.session.Outcome;

/**
 * The receiver of a call's result. One of its methods runs once, on the event loop given with the
 * call.
 */
interface CallReceiver {
    /**
     * The call has an outcome. {@link Call#answerWritten} or {@link Call#clientGone} must follow.
     */
    void completed(Call call, Outcome outcome);

    /** The session has ended. The call has changed nothing. */
    void sessionGone();

    /** Too many calls are pending. This one has changed nothing. */
    void overloaded();
}
