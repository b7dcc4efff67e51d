package io.flockgate.gateway.transcript;

import java.util.List;

/** A conversation of some connections with a server of their own, started with these flags. */
record Transcript(String name, List<String> flags, List<Step> steps) {
    Transcript {
        flags = List.copyOf(flags);
        steps = List.copyOf(steps);
    }
}
