package io.flockgate.bench.load;

import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param burden the keys or connections that were held meanwhile; null in modes without
 */
record Outcome(
        Settings settings, Measurement measured, @Nullable Burden burden) {

    /**
     * Held keys or silent connections.
     *
     * @param unburdened the same load on the empty server, before
     * @param nanos the time that taking them took
     * @param emptyKb resident memory of the server before anything else; 0 without its process id
     * @param heldKb resident memory once all were taken; 0 without its process id
     */
    record Burden(int count, Measurement unburdened, long nanos, long emptyKb, long heldKb) {

        double bytesEach() {
            return (heldKb - emptyKb) * 1024.0 / count;
        }

        double costRatio(Measurement burdened) {
            return burdened.serverMicrosPerPair() / unburdened.serverMicrosPerPair();
        }
    }
}
