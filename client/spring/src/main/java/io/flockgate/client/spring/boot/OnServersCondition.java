package io.flockgate.client.spring.boot;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if {@code flockgate.servers} names a server, as one comma-separated text or as a YAML
 * list, which has a property for each entry.
 */
final class OnServersCondition extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        BindResult<List<String>> bound =
                Binder.get(context.getEnvironment()).bind("flockgate.servers", Bindable.listOf(String.class));
        List<String> servers = bound.isBound() ? bound.get() : List.of();
        ConditionMessage.Builder message = ConditionMessage.forCondition("Servers of Flockgate");
        return servers.isEmpty()
                ? ConditionOutcome.noMatch(message.because("flockgate.servers is not set"))
                : ConditionOutcome.match(message.found("server", "servers").items(servers.size()));
    }
}
