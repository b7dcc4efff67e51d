package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.environment.Environment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other, urgent ones first. It has a thread only while there are tasks,
 * and accepts no tasks after {@link #end}. Thread safe.
 */
class SerialExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    @GuardedBy("this")
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @GuardedBy("this")
    private final Queue<Runnable> urgent = new ArrayDeque<>();

    private final Environment environment;
    private final Runnable afterAll;

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private boolean ended;

    /**
     * @param afterAll runs when all tasks are done, before the thread ends
     */
    SerialExecutor(Environment environment, Runnable afterAll) {
        this.environment = environment;
        this.afterAll = afterAll;
    }

    /** Runs a task. Returns false when this executor has ended and the task will not run. */
    final boolean execute(Runnable task) {
        return execute(task, false);
    }

    /** Runs a task before all tasks that are not urgent and have not begun. */
    final boolean executeUrgently(Runnable task) {
        return execute(task, true);
    }

    private boolean execute(Runnable task, boolean urgently) {
        synchronized (this) {
            if (ended) {
                return false;
            }
            (urgently ? urgent : tasks).add(task);
            if (running) {
                return true;
            }
            running = true;
        }
        environment.start("consul-key", this::run);
        return true;
    }

    private void run() {
        boolean rested = false;
        while (true) {
            Runnable task;
            synchronized (this) {
                task = urgent.isEmpty() ? tasks.poll() : urgent.poll();
                if (task == null && rested) {
                    running = false;
                    return;
                }
            }
            rested = task == null;
            guarded(task == null ? afterAll : task);
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            // If this thread ended, no later task of the key would run.
            LOG.error("unexpected failure of a task of a key", e);
        }
    }

    /** Ends this executor and returns true, or changes nothing and returns false if tasks wait. */
    final synchronized boolean end() {
        ended = tasks.isEmpty() && urgent.isEmpty();
        return ended;
    }
}
