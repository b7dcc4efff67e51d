package io.flockgate.gateway.config;

import io.flockgate.options.Rule;
import io.flockgate.storage.KeyAdministration.GatewayView;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;

/** Validates and derives the address of a gateway's page, to which other gateways' pages link. */
final class PageAddress {
    static final Rule<String> RULE = Rule.of(
            "http:// or https://, at most " + GatewayView.MAX_PAGE_LENGTH + " characters",
            "must be an address such as https://gate-1.example:6389/",
            text -> text.isEmpty() || isAddress(text));

    private PageAddress() {}

    private static boolean isAddress(String text) {
        try {
            URI uri = new URI(text);
            return GatewayView.isPage(text) && uri.getHost() != null && uri.getUserInfo() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * The default address. Empty if the gateway listens on all addresses, because the one that
     * operators reach is unknown.
     */
    static String of(String host, int port, boolean tls) {
        if (port <= 0 || isAny(host)) {
            return "";
        }
        String address =
                (tls ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + port + "/";
        return isAddress(address) ? address : "";
    }

    private static boolean isAny(String host) {
        try {
            return host.isEmpty() || InetAddress.ofLiteral(host).isAnyLocalAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
