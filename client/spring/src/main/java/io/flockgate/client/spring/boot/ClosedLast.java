package io.flockgate.client.spring.boot;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;

/**
 * Closes what the configuration has opened after all other beans of the application, the last
 * opened first. A scheduler interrupts its tasks only when it is destroyed, and what they hold is
 * released while they end. Spring destroys beans in the reverse order of their creation, and
 * creates post-processors of beans first.
 */
final class ClosedLast implements BeanPostProcessor, PriorityOrdered, DisposableBean {
    private final Deque<Runnable> opened = new ConcurrentLinkedDeque<>();

    /** Closes this at the end. */
    void add(Runnable close) {
        opened.push(close);
    }

    @Override
    public void destroy() {
        opened.forEach(Runnable::run);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
