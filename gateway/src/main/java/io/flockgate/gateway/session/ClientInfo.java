package io.flockgate.gateway.session;

import io.flockgate.storage.ClientDescription;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The information that a client gives about itself before its first claim.
 *
 * @param name the name for operators: 1 to {@value #MAX_NAME_BYTES} bytes of printable UTF-8
 *     without white space. It proves nothing, and several clients may have the same. Null for a
 *     client without a name
 * @param detached whether grants outlive the client's session
 * @param reasons whether answers must distinguish a grant that is not held from a failure
 * @param losses the id under which all connections and sessions of the client are notified of its
 *     lost grants; null for a client that does not want that
 */
public record ClientInfo(
        @Nullable String name,
        boolean detached,
        boolean reasons,
        @Nullable String losses) {
    public static final int MAX_NAME_BYTES = ClientDescription.MAX_NAME_BYTES;

    /** The maximum length of {@code losses}. */
    public static final int MAX_LOSSES_LENGTH = 64;

    /** A client that has said nothing. */
    public static final ClientInfo NONE = new ClientInfo(null, false, false, null);

    public ClientInfo {
        if (name != null && !isName(name)) {
            throw new IllegalArgumentException("not the name of a client");
        }
    }

    /** Whether a client may have this name. */
    public static boolean isName(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_NAME_BYTES
                && text.codePoints().allMatch(c -> c != ' ' && Quoting.isPrintable(c))
                && text.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
    }
}
