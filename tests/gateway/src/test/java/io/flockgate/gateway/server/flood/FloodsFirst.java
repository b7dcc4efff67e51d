package io.flockgate.gateway.server.flood;

import java.util.Comparator;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Tag;

/**
 * Orders classes so that floods begin first; the others keep the order in which Maven lists them.
 */
public final class FloodsFirst implements ClassOrderer {
    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors().sort(Comparator.comparing(FloodsFirst::isNoFlood));
    }

    private static boolean isNoFlood(ClassDescriptor test) {
        return test.findRepeatableAnnotations(Tag.class).stream()
                .noneMatch(tag -> tag.value().equals("flood"));
    }
}
