package io.flockgate.client.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.RecordedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class RareLogTest {
    private final List<String> lines = new ArrayList<>();
    private final RecordedLog log = new RecordedLog("log", lines);
    private final List<Runnable> tasks = new ArrayList<>();

    /** A logger may block, and the caller may be the thread that ends leases in time. */
    @Test
    void theCallerWritesNoLine() {
        RareLog rare = new RareLog(log, () -> 0, 1, tasks::add);
        rare.warn(() -> "first");
        rare.warn(() -> "second");
        assertThat(lines).isEmpty();
        tasks.forEach(Runnable::run);
        assertThat(lines).containsExactly("log: first");
    }

    @Test
    void aLineIsWrittenAfterTheShutdownOfTheExecutorToo() {
        RareLog rare = new RareLog(log, () -> 0, 1, task -> {
            throw new RejectedExecutionException();
        });
        rare.warn(() -> "last");
        assertThat(lines).containsExactly("log: last");
    }
}
