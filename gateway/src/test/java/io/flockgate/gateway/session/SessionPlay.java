package io.flockgate.gateway.session;

import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import java.util.List;

/**
 * A play of one {@link LockSession}, which also knows the steps {@code cancel}, {@code timeOut},
 * {@code close} and {@code closeAtRequest}. {@code settled}, {@code listen} and {@code events} ask
 * for its notifications.
 */
final class SessionPlay extends Play {
    static final ClientInfo DETACHED = new ClientInfo("ci-7", true, false, null);

    private static final ClientInfo REASONS = new ClientInfo(null, false, true, null);

    private final Client client;
    private long cursor;

    SessionPlay(Client client) {
        super(client.loop, client.storage);
        this.client = client;
    }

    @Override
    protected void turn() {
        loop.run();
    }

    @Override
    protected void ask(String[] words) {
        LockSession session = client.session;
        switch (words[0]) {
            case "began" -> session.began();
            case "introduce" -> introduce(words[1].equals("detached") ? DETACHED : REASONS);
            case "cancel" -> session.cancelWait();
            case "timeOut" -> session.timeOutWait();
            case "close" -> noteClosed(session.close());
            case "closeWithout" -> noteClosed(session.close(List.of(grant(words[1]))));
            case "closeAtRequest" -> noteClosed(session.closeAtRequest());
            case "settled" -> session.whenSettled(() -> note("SETTLED"));
            case "listen" -> {
                session.whenLost(() -> note("LOST"));
                session.whenGrantLost(grant -> note("LOST " + grant));
            }
            case "idle" -> note(session.isIdle() ? "IDLE" : "BUSY");
            case "events" -> noteEvents();
            default -> session.carryOut(request(words), outcome -> note(text(outcome)));
        }
    }

    private void introduce(ClientInfo info) {
        note(client.session.introduce(info) ? "INTRODUCED" : "TOO LATE");
    }

    /** The events that are counted, then those that an operator receives. */
    private void noteEvents() {
        client.events.take().forEach(this::note);
        EventFeed.Part part = client.feed.read(cursor, Integer.MAX_VALUE);
        cursor = part.next();
        for (ClientEvent event : part.events()) {
            note(event.type().text()
                    + (event.key() == null ? "" : " " + event.key())
                    + (event.fence() == 0 ? "" : "#" + event.fence())
                    + (event.reason() == null ? "" : " as " + event.reason()));
        }
    }
}
