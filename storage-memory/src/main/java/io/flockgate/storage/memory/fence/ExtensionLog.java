package io.flockgate.storage.memory.fence;

import io.flockgate.text.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of extensions of the fence range: one line when a series of failures begins, and one when
 * it ends. An interface, so that tests can read the lines.
 */
interface ExtensionLog {
    /** The first failure after a success. */
    void failed(Exception cause, long fencesLeft);

    /** The first success after failures. */
    void healed(int failures);

    static ExtensionLog slf4j() {
        Logger log = LoggerFactory.getLogger(FenceStateFile.class);
        return new ExtensionLog() {
            @Override
            public void failed(Exception cause, long fencesLeft) {
                log.atError()
                        .addKeyValue("err", Reason.of(cause))
                        .addKeyValue("fences_left", Long.toUnsignedString(fencesLeft))
                        .log("the next range of fences cannot be made durable; trying again");
            }

            @Override
            public void healed(int failures) {
                log.atInfo().addKeyValue("failed", failures).log("ranges of fences can be made durable again");
            }
        };
    }
}
