package io.flockgate.cli.shared;

import io.flockgate.client.support.Refusals;
import java.util.Optional;

/** A gateway's refusal in the words of the command line. Pure. */
final class RefusalText {
    private RefusalText() {}

    /**
     * The refusal with this code of either protocol; empty for one that has no words of its own.
     *
     * @param what the request, such as "the claim to job"
     */
    static Optional<String> of(String code, String what) {
        if (code.equals("draining")) {
            return Optional.of(Refusals.draining("the gateway", what));
        }
        return Refusals.isLimit(code) ? Optional.of(Refusals.of(code, "the gateway", what)) : Optional.empty();
    }
}
