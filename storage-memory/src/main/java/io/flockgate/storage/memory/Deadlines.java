package io.flockgate.storage.memory;

import io.flockgate.storage.rules.Holder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of holders by the end of their leases. Each holder records its position, so that
 * removal costs O(log n). Adding a lease that ends last costs O(1). Guarded by its shard.
 */
final class Deadlines {
    private static final int MIN_SIZE = 16;

    private Holder[] heap = new Holder[MIN_SIZE];
    private int size;

    /** The holder whose lease ends first. */
    @Nullable
    Holder first() {
        return size == 0 ? null : heap[0];
    }

    void add(Holder holder) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size + (size >> 1));
        }
        siftUp(size++, holder);
    }

    /** Must be called when the lease of a holder in the heap gets a new end. */
    void moved(Holder holder) {
        int index = holder.heapIndex();
        siftUp(index, holder);
        if (holder.heapIndex() == index) {
            siftDown(index, holder);
        }
    }

    /** Does nothing when the holder is not in the heap. */
    void remove(Holder holder) {
        int index = holder.heapIndex();
        if (index < 0) {
            return;
        }
        holder.heapIndex(-1);
        Holder last = heap[--size];
        clear(size);
        if (last != holder) {
            last.heapIndex(index);
            heap[index] = last;
            moved(last);
        }
        if (heap.length > MIN_SIZE && size < heap.length / 8) {
            heap = Arrays.copyOf(heap, Math.max(MIN_SIZE, heap.length / 4));
        }
    }

    @SuppressWarnings("NullAway") // a free position is null, which array types cannot express
    private void clear(int index) {
        heap[index] = null;
    }

    private void siftUp(int from, Holder holder) {
        int index = from;
        while (index > 0) {
            Holder parent = heap[(index - 1) >>> 1];
            if (!isEarlier(holder, parent)) {
                break;
            }
            place(index, parent);
            index = (index - 1) >>> 1;
        }
        place(index, holder);
    }

    private void siftDown(int from, Holder holder) {
        int index = from;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && isEarlier(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isEarlier(heap[child], holder)) {
                break;
            }
            place(index, heap[child]);
            index = child;
        }
        place(index, holder);
    }

    private void place(int index, Holder holder) {
        heap[index] = holder;
        holder.heapIndex(index);
    }

    private static boolean isEarlier(Holder a, Holder b) {
        return a.leaseEndNanos() - b.leaseEndNanos() < 0;
    }
}
