package io.flockgate.gateway;

import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.text.Fences;
import java.math.BigDecimal;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a line for each grant and one for its end (`--log-grants`). Never shows a token. Thread
 * safe.
 */
final class GrantLog implements SessionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(GrantLog.class);
    private static final double NANOS_PER_MILLI = 1e6;

    @Override
    public void grantedAtOnce(Claimant session, Grant grant) {
        line(session, grant).log("granted");
    }

    @Override
    public void grantedAfter(Claimant session, Grant grant, long waitedNanos) {
        grantedAtOnce(session, grant);
    }

    @Override
    public void ended(Claimant session, Grant grant, long heldNanos, Ending ending) {
        line(session, grant)
                .addKeyValue("held_s", seconds(heldNanos))
                .addKeyValue("how", ending.name().toLowerCase(Locale.ROOT))
                .log("ended");
    }

    /** The seconds, with three decimal places. */
    private static String seconds(long nanos) {
        return BigDecimal.valueOf(Math.round(nanos / NANOS_PER_MILLI), 3).toPlainString();
    }

    private static LoggingEventBuilder line(Claimant session, Grant grant) {
        ClientDescription client = session.description();
        LoggingEventBuilder line = LOG.atInfo()
                .addKeyValue("key", grant.key())
                .addKeyValue("fence", Fences.hex(grant.fence()))
                .addKeyValue("conn", session.id());
        line = client.tokenName() == null ? line : line.addKeyValue("token", client.tokenName());
        line = client.name() == null ? line : line.addKeyValue("name", client.name());
        return client.address() == null ? line : line.addKeyValue("peer", client.address());
    }
}
