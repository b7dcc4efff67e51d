package io.flockgate.gateway;

import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A start that failed. */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Part {
        CONFIGURATION,
        STORAGE,
        LISTENER
    }

    private final Part part;

    private StartException(Part part, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.part = part;
    }

    static StartException storage(Throwable cause) {
        return new StartException(Part.STORAGE, String.valueOf(cause.getMessage()), cause);
    }

    static StartException noStorage(String name, List<String> known) {
        return new StartException(
                Part.CONFIGURATION,
                "--storage: there is no storage called " + Quoting.quoted(name) + ", only " + String.join(", ", known),
                null);
    }

    static StartException noRosters(String storage) {
        return new StartException(
                Part.CONFIGURATION,
                "--fleetlock-groups: the storage " + Quoting.quoted(storage) + " cannot keep FleetLock's rosters",
                null);
    }

    static StartException configuration(Throwable cause) {
        return new StartException(Part.CONFIGURATION, String.valueOf(cause.getMessage()), cause);
    }

    static StartException listener(String address, Throwable cause) {
        // Netty writes: bind(..) failed with error(-98): Address already in use.
        String reason = Reason.of(cause).replaceFirst("^bind\\S* failed with \\S+: ", "");
        String hint = reason.equals("Address already in use") ? ", perhaps by another gateway: set another port" : "";
        return new StartException(Part.LISTENER, "cannot listen on " + address + ": " + reason + hint, cause);
    }

    public Part part() {
        return part;
    }
}
