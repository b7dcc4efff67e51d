package io.flockgate.storage.consul.api;

/** The maximum size of an answer of Consul. */
public final class AnswerSize {
    /**
     * In bytes: 128 MiB, with a heap of less than 341 MiB three eighths of the heap. An answer is
     * parsed as it arrives, and takes about its size in the heap.
     */
    public static final int MAX =
            (int) Math.min(128L << 20, Runtime.getRuntime().maxMemory() * 3 / 8);

    private AnswerSize() {}
}
