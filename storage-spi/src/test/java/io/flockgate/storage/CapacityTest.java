package io.flockgate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CapacityTest {
    @Test
    void isTakenUpToItsMaximumAndAgainAfterItWasGivenBack() {
        Capacity capacity = new Capacity(2);
        assertThat(capacity.take()).isTrue();
        assertThat(capacity.take()).isTrue();
        assertThat(capacity.take()).isFalse();
        assertThat(capacity.used()).isEqualTo(2);
        capacity.giveBack(1);
        assertThat(capacity.take()).isTrue();
        assertThat(capacity.take()).isFalse();
    }

    @Test
    void givesWhatThereIsOfManyWanted() {
        Capacity capacity = new Capacity(10);
        assertThat(capacity.takeUpTo(7)).isEqualTo(7);
        assertThat(capacity.takeUpTo(7)).isEqualTo(3);
        assertThat(capacity.takeUpTo(7)).isZero();
        assertThat(capacity.used()).isEqualTo(10);
    }

    @Test
    void whatIsTakenInAnyCaseCountsBeyondTheMaximum() {
        Capacity capacity = new Capacity(1);
        capacity.forceTake(2);
        assertThat(capacity.used()).isEqualTo(2);
        capacity.giveBack(1);
        assertThat(capacity.take()).isFalse();
        capacity.giveBack(1);
        assertThat(capacity.take()).isTrue();
    }

    @Test
    void zeroIsNoMaximum() {
        Capacity capacity = new Capacity(0);
        assertThat(capacity.takeUpTo(1L << 60)).isEqualTo(1L << 60);
        assertThat(capacity.take()).isTrue();
        assertThat(Capacity.maximum(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(Capacity.maximum(1)).isEqualTo(1);
    }

    @Test
    void threadsTogetherTakeNoMoreThanTheMaximum() throws Exception {
        Capacity capacity = new Capacity(150_000);
        List<Callable<Long>> takers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            takers.add(() -> {
                long taken = 0;
                for (int n = 0; n < 100_000; n++) {
                    taken += capacity.take() ? 1 : 0;
                }
                return taken;
            });
        }
        long sum = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (Future<Long> taken : threads.invokeAll(takers)) {
                sum += taken.get();
            }
        }
        assertThat(sum).isEqualTo(150_000);
        assertThat(capacity.used()).isEqualTo(150_000);
    }
}
