package io.flockgate.client.kubernetes;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Receives the body of an answer up to a number of bytes. Beyond that the answer is a failure. */
final class BoundedBody implements BodySubscriber<byte[]> {
    private final int max;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable Subscription subscription;

    BoundedBody(int max) {
        this.max = max;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (bytes.size() + part.remaining() > max) {
                if (subscription != null) {
                    subscription.cancel();
                }
                body.completeExceptionally(new IOException("an answer of more than " + max + " bytes"));
                return;
            }
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            bytes.writeBytes(copy);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(bytes.toByteArray());
    }
}
