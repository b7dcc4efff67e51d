package io.flockgate.storage.memory.fence;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of one salt in nanoseconds, by the random source that fills the pool. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SaltBenchmark {
    /** {@code AES-CTR}, or an algorithm of {@link SecureRandom}. */
    @Param({"AES-CTR", "DRBG", "NativePRNG"})
    public String random = "";

    private SaltSource salts = new SaltSource(target -> {}, () -> target -> {}, task -> {});

    @Setup
    public void open() throws GeneralSecurityException {
        SaltSource.RandomBytes bytes = random.equals("AES-CTR")
                ? new AesCtrStream(new SecureRandom())
                : SecureRandom.getInstance(random)::nextBytes;
        salts = new SaltSource(bytes, () -> bytes, Runnable::run);
    }

    @Benchmark
    public long salt() {
        return salts.next();
    }
}
