package io.flockgate.client;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the provider of back ends for a scheme. */
final class BackendProviders {
    /** The artifacts of our own providers, which may be missing from the class path. */
    private static final Map<String, String> ARTIFACTS = Map.of("kubernetes", "flockgate-client-kubernetes");

    /** The schemes of a gateway's REST API, which leases do not use. */
    private static final Set<String> REST = Set.of("http", "https");

    private BackendProviders() {}

    /**
     * The provider for these addresses.
     *
     * @throws LeaseConfigException if there is none; the message names what is missing
     */
    static LeaseBackendProvider of(List<URI> servers) {
        Checks.that(!servers.isEmpty(), "at least one server is needed");
        SortedSet<String> known = new TreeSet<>(ARTIFACTS.keySet());
        LeaseBackendProvider provider = null;
        for (URI server : servers) {
            LeaseBackendProvider found = find(server, known);
            provider = provider == null ? found : provider;
        }
        return Objects.requireNonNull(provider);
    }

    /**
     * @param known collects the schemes of all providers
     */
    private static LeaseBackendProvider find(URI server, SortedSet<String> known) {
        String scheme = String.valueOf(server.getScheme());
        LeaseBackendProvider found = null;
        try {
            for (LeaseBackendProvider each : providers()) {
                known.addAll(each.schemes());
                found = found == null && each.schemes().contains(scheme) ? each : found;
            }
        } catch (ServiceConfigurationError broken) {
            throw new LeaseConfigException("a provider of back ends cannot be loaded: " + broken.getMessage());
        }
        if (found == null) {
            throw new LeaseConfigException(missing(server, ARTIFACTS.get(scheme), known));
        }
        return found;
    }

    /** Uses the loader of this class, because pool threads may have arbitrary context loaders. */
    private static Iterable<LeaseBackendProvider> providers() {
        return ServiceLoader.load(LeaseBackendProvider.class, BackendProviders.class.getClassLoader());
    }

    private static String missing(URI server, @Nullable String artifact, SortedSet<String> known) {
        if (REST.contains(String.valueOf(server.getScheme()))) {
            return lineProtocol(server);
        }
        String address = server.toString();
        boolean bare = !address.contains("/") && !address.contains("@");
        String fault =
                bare ? "; the address of a gateway is flockgate://" + address : ", and not with " + server.getScheme();
        return artifact == null
                ? "an address begins with one of " + String.join("://, ", known) + "://" + fault
                : server.getScheme() + ":// needs io.flockgate:" + artifact + " on the class path";
    }

    /** Names the address to use instead. A user or password in the given one is not shown. */
    private static String lineProtocol(URI server) {
        String scheme = server.getScheme().equals("https") ? "flockgates" : "flockgate";
        String host = server.getHost() == null ? "host" : server.getHost();
        return "leases use the line protocol, and not " + server.getScheme() + "://, which is the REST API: the address"
                + " of this gateway is " + scheme + "://" + host + ":6388, unless its --port is another";
    }
}
