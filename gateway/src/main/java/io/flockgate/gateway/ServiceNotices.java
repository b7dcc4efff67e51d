package io.flockgate.gateway;

import io.flockgate.gateway.lifecycle.ServiceManager;
import io.flockgate.gateway.net.NotifySocket;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** Connects the gateway to the service manager that started it, if any. */
final class ServiceNotices {
    private ServiceNotices() {}

    static ServiceManager of(Map<String, String> environment) {
        return NotifySocket.named(environment.get("NOTIFY_SOCKET"))
                .map(socket ->
                        ServiceManager.of(environment, ProcessHandle.current().pid(), message -> send(socket, message)))
                .orElse(ServiceManager.NONE);
    }

    /**
     * A manager that cannot be notified ends the gateway at its own timeout. Until then the gateway
     * keeps running.
     */
    private static void send(NotifySocket socket, String message) {
        try {
            socket.send(message);
        } catch (IOException e) {
            LoggerFactory.getLogger(ServiceNotices.class)
                    .atWarn()
                    .addKeyValue("notice", message)
                    .addKeyValue("err", Reason.of(e))
                    .log("cannot notify the service manager");
        }
    }
}
