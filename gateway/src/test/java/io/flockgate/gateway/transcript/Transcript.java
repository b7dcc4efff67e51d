package io.flockgate.gateway.transcript;

import java.net.URI;
import java.util.List;

/** A conversation of some connections with a server of their own, started with these flags. */
record Transcript(String name, URI source, List<String> flags, List<Step> steps) {
    Transcript {
        flags = List.copyOf(flags);
        steps = List.copyOf(steps);
    }
}
