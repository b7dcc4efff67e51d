package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import io.flockgate.testsupport.HeldGrant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One attempt while it is being made. For one thread. */
final class Recording {
    private final KeySpec key;
    private final int client;
    private final Connection own;
    private final List<Call> calls = new ArrayList<>();
    private @Nullable HeldGrant grant;

    Recording(KeySpec key, int client, Connection own) {
        this.key = key;
        this.client = client;
        this.own = own;
    }

    KeySpec key() {
        return key;
    }

    @Nullable
    HeldGrant grant() {
        return grant;
    }

    /**
     * Makes a request over the client's own connection; {@link Answer#NONE} when that has ended.
     */
    Answer ask(Action action, String command, String argument, long seconds, long patience) {
        return ask(own, action, command, argument, seconds, patience);
    }

    Answer ask(Connection over, Action action, String command, String argument, long seconds, long patience) {
        long sent = System.nanoTime();
        try {
            String line = over.ask(command, key.name(), argument);
            long got = System.nanoTime();
            Answer answer = Answer.of(line);
            long fence = 0;
            if (answer == Answer.GRANTED) {
                grant = HeldGrant.of(key.name(), line);
                fence = grant.fence();
            }
            calls.add(new Call(action, over.gateway(), sent, got, answer, seconds, fence, patience));
            return answer;
        } catch (IOException e) {
            long got = System.nanoTime();
            calls.add(new Call(action, over.gateway(), sent, got, Answer.NONE, seconds, 0, patience));
            over.broke(got);
            return Answer.NONE;
        }
    }

    /**
     * The attempt, with the end of its connection, which ends what was not released. Must be called
     * only after the client has stopped, by the thread that has waited for that.
     */
    Attempt done() {
        return new Attempt(key.name(), key.limit(), client, own.gateway(), calls, own.ended(), own.broken());
    }
}
