package io.flockgate.gateway.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** Decoded messages that wait for the request before them, and what they cost. On their connection's event loop only. */
final class MessagesAhead {
    /** What the head of a request that waits costs, roughly, beside its text. */
    private static final int HEAD_BYTES = 1024;

    /** What a header, or a piece of a body, that waits costs beside its text. */
    private static final int PIECE_BYTES = 64;

    private final Deque<Object> messages = new ArrayDeque<>();
    private int bytes;

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** The memory taken, roughly. */
    int bytes() {
        return bytes;
    }

    void add(Object message) {
        Object kept = message instanceof HttpContent content ? ownCopy(content) : message;
        messages.add(kept);
        bytes += costOf(kept);
    }

    /** The oldest, which is the caller's to release. */
    Object remove() {
        Object message = messages.remove();
        bytes -= costOf(message);
        return message;
    }

    void drop() {
        messages.forEach(ReferenceCountUtil::release);
        messages.clear();
        bytes = 0;
    }

    /** A slice, however small, would hold on to all that was read with it. */
    private static HttpContent ownCopy(HttpContent content) {
        if (!content.content().isReadable()) {
            return content;
        }
        HttpContent copy = content.replace(Unpooled.copiedBuffer(content.content()));
        ReferenceCountUtil.release(content);
        return copy;
    }

    private static int costOf(Object message) {
        return switch (message) {
            case LastHttpContent last -> costOf(last) + costOf(last.trailingHeaders());
            case HttpContent content -> costOf(content);
            case HttpRequest request -> HEAD_BYTES + request.uri().length() + costOf(request.headers());
            default -> HEAD_BYTES;
        };
    }

    private static int costOf(HttpContent content) {
        return PIECE_BYTES + content.content().readableBytes();
    }

    private static int costOf(HttpHeaders headers) {
        int cost = 0;
        for (Map.Entry<String, String> header : headers) {
            cost += PIECE_BYTES + header.getKey().length() + header.getValue().length();
        }
        return cost;
    }
}
