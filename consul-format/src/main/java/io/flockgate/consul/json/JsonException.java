package io.flockgate.consul.json;

/**
 * A text that is no JSON, or is beyond the limits, or has another form than expected. The message
 * quotes nothing of the text.
 */
public class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A failure with these words. */
    public JsonException(String message) {
        // Without a stack trace: other software's values are read again and again, and the message says where they end
        // to be JSON.
        super(message, null, false, false);
    }
}
