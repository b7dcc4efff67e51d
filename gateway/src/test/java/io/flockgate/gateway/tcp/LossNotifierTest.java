package io.flockgate.gateway.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.session.ScriptedStorage;
import io.flockgate.gateway.tcp.Hello.LossNotifier;
import io.flockgate.storage.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LossNotifierTest {
    private final LossNotifier notifier = new LossNotifier();
    private final List<String> notified = new ArrayList<>();
    private final Grant grant = ScriptedStorage.grant("job", 1, 3);

    private Consumer<Grant> join(String client) {
        Consumer<Grant> listener = lost -> notified.add(client);
        notifier.join(client, listener);
        return listener;
    }

    @Test
    void theConnectionsOfOneClientAreNotifiedUntilTheyLeave() {
        Consumer<Grant> first = join("one");
        Consumer<Grant> second = join("one");
        Consumer<Grant> unused = join("two");

        notifier.lost("one", grant);
        assertThat(notified).containsExactly("one", "one");

        notifier.leave("one", first);
        notifier.lost("one", grant);
        assertThat(notified).hasSize(3);

        notifier.leave("one", second);
        notifier.lost("one", grant);
        assertThat(notified).hasSize(3);
    }

    @Test
    void manyConnectionsDoNotMultiplyALoss() {
        for (int i = 0; i < 10 * LossNotifier.MAX_CONNECTIONS; i++) {
            Consumer<Grant> unused = join("one");
        }

        notifier.lost("one", grant);

        assertThat(notified).hasSize(LossNotifier.MAX_CONNECTIONS);
    }
}
