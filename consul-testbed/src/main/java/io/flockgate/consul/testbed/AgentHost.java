package io.flockgate.consul.testbed;

import java.net.URI;

/** The place where an agent runs: a local process or a container. */
sealed interface AgentHost extends AutoCloseable permits LocalAgent, ContainerAgent {
    URI address();

    ConsulApi api();

    /**
     * The agent as a process of this machine.
     *
     * @throws UnsupportedOperationException if the agent is no such process
     */
    LocalAgent local();

    @Override
    void close();
}
