package io.flockgate.consul.testbed;

import java.net.URI;

/** The place where an agent runs: a local process or a container. */
sealed interface AgentHost extends AutoCloseable permits LocalAgent, ContainerAgent {
    URI address();

    ConsulApi api();

    /**
     * The agent as a process on this machine.
     *
     * @throws UnsupportedOperationException if the agent is not such a process
     */
    LocalAgent local();

    @Override
    void close();
}
