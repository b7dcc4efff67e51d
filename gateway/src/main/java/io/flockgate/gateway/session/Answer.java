package io.flockgate.gateway.session;

/** Where the outcome of one request goes: called exactly once, on the session's event loop, maybe before the request returns. */
@FunctionalInterface
public interface Answer {
    void answer(Outcome outcome);
}
