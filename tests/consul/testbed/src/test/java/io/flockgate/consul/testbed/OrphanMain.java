package io.flockgate.consul.testbed;

import java.io.IOException;

/** A JVM to be killed: it starts agents, pauses one, prints their process numbers, and waits. */
final class OrphanMain {
    private OrphanMain() {}

    public static void main(String[] args) throws IOException {
        ConsulAgent running = ConsulAgent.start();
        ConsulAgent paused = ConsulAgent.start(AgentOptions.plain().onDisk());
        paused.pause();
        System.out.println(running.pid() + " " + paused.pid());
        while (System.in.read() >= 0) {}
    }
}
