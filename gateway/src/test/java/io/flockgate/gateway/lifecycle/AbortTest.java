package io.flockgate.gateway.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class AbortTest {
    private final Throwable defect = new IllegalStateException("of a test");

    /** The event loop has ended, because the process is shutting down. */
    private final Throwable closed = new RejectedExecutionException("event executor terminated");

    @Test
    void aThreadOfTheGatewayThatFailsEndsTheProcess() {
        assertThat(Abort.isFatal("flockgate-journal", defect)).isTrue();
        assertThat(Abort.isFatal("consul-watch", closed)).isTrue();
        assertThat(Abort.isFatal("AsyncAppender-Worker-stderr", defect)).isTrue();
        assertThat(Abort.isFatal("vert.x-eventloop-thread-0", closed)).isTrue();
        assertThat(Abort.isFatal("vert.x-worker-thread-0", defect)).isTrue();
    }

    @Test
    void aWorkerWhoseResultComesTooLateDoesNot() {
        assertThat(Abort.isFatal("vert.x-worker-thread-0", closed)).isFalse();
        assertThat(Abort.isFatal("HttpClient-1-Worker-0", defect)).isFalse();
    }
}
