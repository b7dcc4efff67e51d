package io.flockgate.storage.consul.json;

/**
 * The failure for a text that is not JSON, is beyond the limits, or has another form than expected.
 * The message quotes nothing from the text.
 */
public class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates a failure with this message. */
    public JsonException(String message) {
        // Without a stack trace, because other software's values are read repeatedly.
        super(message, null, false, false);
    }
}
