package io.flockgate.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.run.SignalInbox.Caught;
import io.flockgate.testsupport.Polling;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class SignalInboxTest {
    private final SignalInbox inbox = new SignalInbox();
    private final BlockingQueue<Caught> received = new LinkedBlockingQueue<>();

    @Test
    void aSignalThatComesDuringTheStartIsPassedAsAnEarlyOne() throws Exception {
        synchronized (inbox) {
            Thread during = Thread.ofPlatform().start(() -> inbox.receive("TERM", 15));
            Polling.until("it waits for the lock", () -> during.getState() == Thread.State.BLOCKED);
            inbox.handTo(received::add);
        }
        assertThat(received.take()).isEqualTo(new Caught("TERM", 15, true));
        inbox.receive("INT", 2);
        assertThat(received.take()).isEqualTo(new Caught("INT", 2, false));
        assertThat(inbox.firstEnding()).isNotDone();
    }
}
