package io.flockgate.gateway.transcript;

import java.util.List;

/**
 * A conversation of some connections with their own server, started with these flags.
 *
 * @param http whether it needs the REST API
 */
record Transcript(String name, List<String> flags, List<TranscriptStep> steps, boolean http) {
    Transcript {
        flags = List.copyOf(flags);
        steps = List.copyOf(steps);
    }
}
