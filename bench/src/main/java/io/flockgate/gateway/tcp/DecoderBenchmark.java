package io.flockgate.gateway.tcp;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** The cost of cutting bytes into frames, and of parsing requests, in nanoseconds a frame. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecoderBenchmark {
    private static final int FRAMES = 32;

    private final byte[] acquires = "l\nbench_1234\n10 33\n".repeat(FRAMES).getBytes(StandardCharsets.US_ASCII);
    private final byte[] releases = ("r\nbench_1234\n" + "0123456789abcdef".repeat(2) + "\n")
            .repeat(FRAMES)
            .getBytes(StandardCharsets.US_ASCII);
    private final LineDecoder decoder = new LineDecoder();
    private final RequestParser parser = new RequestParser(33);

    @Benchmark
    @OperationsPerInvocation(FRAMES)
    public int decode() {
        decoder.append(acquires);
        int frames = 0;
        while (decoder.next() == LineDecoder.Step.FRAME) {
            frames++;
        }
        return frames;
    }

    @Benchmark
    @OperationsPerInvocation(FRAMES)
    public void decodeAndParseAcquires(Blackhole sink) {
        decodeAndParse(acquires, sink);
    }

    @Benchmark
    @OperationsPerInvocation(FRAMES)
    public void decodeAndParseReleases(Blackhole sink) {
        decodeAndParse(releases, sink);
    }

    private void decodeAndParse(byte[] bytes, Blackhole sink) {
        decoder.append(bytes);
        while (decoder.next() == LineDecoder.Step.FRAME) {
            sink.consume(parser.parse(Command.of(decoder), decoder));
        }
    }
}
