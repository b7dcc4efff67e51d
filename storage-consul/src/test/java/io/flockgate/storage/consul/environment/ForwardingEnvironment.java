package io.flockgate.storage.consul.environment;

import java.util.random.RandomGenerator;

/**
 * Passes every call on to another {@link Environment}. Tests override the calls that they observe.
 */
public class ForwardingEnvironment implements Environment {
    private final Environment environment;

    protected ForwardingEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public long now() {
        return environment.now();
    }

    @Override
    public long timeOfDay() {
        return environment.timeOfDay();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
        environment.sleep(nanos);
    }

    @Override
    public Thread start(String name, Runnable task) {
        return environment.start(name, task);
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        return environment.after(nanos, task);
    }

    @Override
    public Timer repeat(String name, long nanos, Runnable task) {
        return environment.repeat(name, nanos, task);
    }

    @Override
    public RandomGenerator random() {
        return environment.random();
    }

    @Override
    public void close() {
        environment.close();
    }
}
