package io.flockgate.gateway.session;

import io.flockgate.storage.ClientDescription;
import io.flockgate.text.Quoting;
import io.flockgate.text.Utf8;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The information that a client gives about itself before its first claim.
 *
 * @param name null for a client without a name
 * @param detached whether grants outlive the client's session
 * @param reasons whether answers must distinguish a grant that is not held from a failure
 * @param losses the id under which all connections and sessions of the client are notified of its
 *     lost grants; null for a client that does not want that
 */
public record ClientInfo(
        @Nullable ClientName name,
        boolean detached,
        boolean reasons,
        @Nullable String losses) {
    /** The maximum length of {@code losses}. */
    public static final int MAX_LOSSES_LENGTH = 64;

    /** A client that has said nothing. */
    public static final ClientInfo NONE = new ClientInfo(null, false, false, null);

    /**
     * The name that a client gives itself, for operators: 1 to {@value #MAX_BYTES} bytes of
     * printable UTF-8 without white space. It proves nothing, and several clients may have the
     * same.
     */
    public record ClientName(String text) {
        public static final int MAX_BYTES = ClientDescription.MAX_NAME_BYTES;

        public ClientName {
            if (!isValid(text)) {
                throw new IllegalArgumentException("not the name of a client");
            }
        }

        /** The name in these bytes; null if they are not a valid name. */
        public static @Nullable ClientName of(byte[] utf8) {
            String text = utf8.length > MAX_BYTES ? null : Utf8.decode(utf8);
            return text == null ? null : of(text);
        }

        /** The name in this text; null if it is not a valid name. */
        public static @Nullable ClientName of(String text) {
            return isValid(text) ? new ClientName(text) : null;
        }

        private static boolean isValid(String text) {
            return !text.isEmpty()
                    && text.length() <= MAX_BYTES
                    && text.codePoints().allMatch(c -> c != ' ' && Quoting.isPrintable(c))
                    && text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES;
        }
    }
}
