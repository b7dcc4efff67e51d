package io.flockgate.client.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseEnvironment;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConnectorTest {
    private final StoppedTimers timers = new StoppedTimers();
    private final LeaseEnvironment environment = timers.environment();
    private final Grants grants = new Grants(environment);
    private final ServerAddress server = ServerAddress.of(URI.create("flockgate://gate-1"));

    private LineConnection connection() {
        return new LineConnection(new Socket(), server, task -> {}, grants);
    }

    private static boolean isClosed(LineConnection connection) {
        return connection.closed().toCompletableFuture().isDone();
    }

    @Test
    void ofTheConnectionsThatAwaitALateAnswerTheOldestIsClosed() {
        ConnectOptions options = ConnectOptions.defaults().environment(environment);
        Connector connector = new Connector(List.of(server), options, grants);
        List<LineConnection> late =
                Stream.generate(this::connection).limit(Connector.MAX_RETIRED).toList();
        late.forEach(connector::retire);
        late.forEach(connector::retire);
        assertThat(timers.tasks).as("the end of each after a minute").hasSize(Connector.MAX_RETIRED);

        connector.retire(connection());
        timers.tasks.get(timers.tasks.size() - 1).run();
        assertThat(late).filteredOn(ConnectorTest::isClosed).containsExactly(late.get(0));

        timers.run();
        assertThat(late).allMatch(ConnectorTest::isClosed);
    }
}
