package io.flockgate.gateway.http;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request without its body. Filters derive others from it, which include what they have found.
 * Immutable.
 *
 * @param segments the decoded bytes of the free segments of its path, by name and in order
 * @param token what the sender may do; null where no token is configured, so that it may do
 *     everything
 */
public record HttpRequest(
        RequestHead head,
        Client client,
        Map<String, byte[]> segments,
        @Nullable NamedToken token) {
    /**
     * The other end of a connection.
     *
     * @param peer its address and port
     * @param address its IP address as text
     * @param certificate the name in its certificate; empty without one
     * @param localAddress the IP address at which it has reached the server
     */
    public record Client(SocketAddress peer, String address, String certificate, String localAddress) {
        private String nameOfCertificate() {
            return !certificate.isEmpty() && Actor.isName(certificate) ? certificate : "";
        }
    }

    /** The same request with the token of its sender. */
    public HttpRequest by(NamedToken sender) {
        return new HttpRequest(head, client, segments, sender);
    }

    public String method() {
        return head.method();
    }

    /** The text after the question mark; null without one. */
    public @Nullable String query() {
        return head.target().query();
    }

    public SocketAddress peer() {
        return client.peer();
    }

    public String address() {
        return client.address();
    }

    /** The decoded bytes of a free segment of the path. */
    public byte[] segment(String name) {
        return Objects.requireNonNull(segments.get(name), name);
    }

    /** The decoded bytes of the first free segment of the path; empty without one. */
    public byte[] subject() {
        return segments.isEmpty() ? new byte[0] : segments.values().iterator().next();
    }

    /** The name of the token; without tokens that of the certificate, empty if it has none. */
    public String sender() {
        return token == null ? client.nameOfCertificate() : token.name();
    }

    /**
     * Whether a token gives the right to operate. Where no token is needed, every client has that
     * right, and operators cannot be distinguished from other clients.
     */
    public boolean isOperator() {
        return token != null && token.rights().mayOperate();
    }

    /** The rights that hide keys from the sender; null if it may see all. */
    public @Nullable Rights hidingKeys() {
        return token == null ? null : token.hidingKeys();
    }

    /** The sender as caps count it. */
    public String countedAs() {
        return Gate.peer(sender(), AddressGroup.of(address()));
    }

    /** The sender of the request, for audit lines. */
    public Actor actor() {
        return new Actor(sender(), peer(), countedAs());
    }
}
