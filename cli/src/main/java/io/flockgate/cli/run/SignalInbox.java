package io.flockgate.cli.run;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The signals to this process. Until there is a receiver, the first one that ends a process is
 * remembered. QUIT cannot be caught in Java. The classes for signals belong to {@code
 * jdk.unsupported}, and the compiler warns of every use.
 */
final class SignalInbox {
    /**
     * A caught signal, with its name as {@code kill} knows it.
     *
     * @param early whether it came before the receiver
     */
    record Caught(String name, int number, boolean early) {
        boolean ends() {
            return ENDING.contains(name);
        }
    }

    private static final List<String> ENDING = List.of("TERM", "INT", "HUP");
    private static final List<String> OTHERS = List.of("USR1", "USR2", "WINCH");

    private final CompletableFuture<Caught> firstEnding = new CompletableFuture<>();

    /** Changed only under this lock, which a start holds until there is a receiver. */
    private volatile @Nullable Consumer<Caught> receiver;

    /** Catches nothing: for a process that we share with other code. */
    SignalInbox() {}

    /** Catches all that can be caught. A signal that was ignored at the start stays ignored. */
    static SignalInbox open() {
        SignalInbox inbox = new SignalInbox();
        ENDING.forEach(inbox::handle);
        OTHERS.forEach(inbox::handle);
        return inbox;
    }

    private void handle(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object instance = signal.getConstructor(String.class).newInstance(name);
            int number = (int) signal.getMethod("getNumber").invoke(instance);
            Object ours = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, args) -> {
                        receive(name, number);
                        return null;
                    });
            Object unused = signal.getMethod("handle", signal, handler).invoke(null, instance, ours);
        } catch (ReflectiveOperationException e) {
            // The platform has no such signal, or Java runs with -Xrs: the signal then has its
            // default effect.
        }
    }

    void receive(String name, int number) {
        Caught caught = new Caught(name, number, receiver == null);
        synchronized (this) {
            Consumer<Caught> current = receiver;
            if (current != null) {
                current.accept(caught);
            } else if (caught.ends()) {
                firstEnding.complete(caught);
            }
        }
    }

    /** Completes with the first signal that ends a process and came before there was a receiver. */
    CompletableFuture<Caught> firstEnding() {
        return firstEnding;
    }

    /** Passes all signals from now on to this receiver. */
    synchronized void handTo(Consumer<Caught> other) {
        receiver = other;
    }
}
