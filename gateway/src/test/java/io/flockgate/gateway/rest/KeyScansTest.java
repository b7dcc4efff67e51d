package io.flockgate.gateway.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.stats.PagedKeys;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyScansTest {
    private static final Rights READER = Rights.of(List.of("read"));
    private static final Rights OPERATOR = Rights.of(List.of("operate"));

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final KeyScans scans = new KeyScans(new PagedKeys(List.of(), 1), tasks::add);

    private @Nullable Future<KeyScan.Found> begin(Rights rights) {
        return scans.begin(KeysQuery.parse("sort=longest_hold"), rights, () -> false);
    }

    private long begun(int count, Rights rights) {
        return IntStream.range(0, count).filter(i -> begin(rights) != null).count();
    }

    @Test
    void readersLeavePassesToOperators() {
        assertThat(begun(2 * KeyScans.MAX, READER)).isEqualTo(KeyScans.MAX - KeyScans.FOR_OPERATORS);
        assertThat(begun(2 * KeyScans.MAX, OPERATOR)).isEqualTo(KeyScans.FOR_OPERATORS);

        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }

        assertThat(begun(2 * KeyScans.MAX, OPERATOR)).isEqualTo(KeyScans.MAX);
        assertThat(begin(READER)).isNull();
    }
}
