package io.flockgate.client.onconsul;

import io.flockgate.testsupport.FaultyHttp;
import io.flockgate.testsupport.ReceivedRequest;
import io.flockgate.testsupport.Reply;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Leaves the first transaction unanswered, and refuses the second as Consul does during a lock
 * delay. The first one reaches the agent after the read that follows has been served, but before
 * that read is answered.
 */
final class LateTransaction implements FaultyHttp.Rule {
    private static final String LOCK_DELAY =
            "{\"Errors\":[{\"OpIndex\":2,\"What\":\"failed to lock key due to lock delay\"}]}";

    private final FaultyHttp relay;
    private final AtomicInteger transactions = new AtomicInteger();
    private final AtomicReference<@Nullable ReceivedRequest> first = new AtomicReference<>();
    private final AtomicReference<@Nullable ReceivedRequest> afterRead = new AtomicReference<>();

    LateTransaction(FaultyHttp relay) {
        this.relay = relay;
    }

    @Override
    public Reply apply(ReceivedRequest request) throws IOException {
        int transaction = request.path().equals("/v1/txn") ? transactions.incrementAndGet() : 0;
        if (transaction == 1) {
            first.set(request);
            return Reply.end();
        }
        if (transaction == 2) {
            afterRead.set(first.get());
            return Reply.status(409, LOCK_DELAY);
        }
        Reply answer = relay.ask(request);
        ReceivedRequest late = afterRead.getAndSet(null);
        if (late != null) {
            var unused = relay.ask(late);
        }
        return answer;
    }
}
