package io.flockgate.storage.consul.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.consul.api.FakeClock;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.rules.FenceGuard;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastViewTest {
    private static final KeyPath PATH = new KeyPath("base/job", false);
    private static final long READ = 100;

    private final KeyView before = view(READ, lock(READ));
    private final LastView last = new LastView(new SystemEnvironment(new FakeClock()::nanos), new FenceGuard(0), PATH);

    private static KvEntry lock(long index) {
        return new KvEntry(PATH.lock(), Flags.MUTEX, new byte[0], "s", index, index);
    }

    private static KeyView view(long index, KvEntry... entries) {
        return KeyView.of(PATH, new KvList(List.of(entries), index));
    }

    private void write(KvOp operation, KvEntry... results) {
        last.read(before);
        KeyView after = before.after(List.of(operation), List.of(results));
        last.written(before, after, true);
    }

    @Test
    void aReadFromBeforeADeletionIsOutOfDate() {
        write(new KvOp.DeleteCas(PATH.lock(), READ));

        assertThat(last.isCurrent(READ)).isFalse();
        assertThat(last.isCurrent(READ + 1)).isTrue();
    }

    @Test
    void aReadOfAWriteIsCurrent() {
        write(new KvOp.Set(PATH.lock(), Flags.MUTEX, new byte[0]), lock(READ + 5));

        assertThat(last.isCurrent(READ + 4)).isFalse();
        assertThat(last.isCurrent(READ + 5)).isTrue();
    }
}
