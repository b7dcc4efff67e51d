package io.flockgate.storage.tck;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes a new harness of the contract to each case of the classes nested in it. */
final class ContractHarness implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == StorageHarness.class;
    }

    @Override
    public StorageHarness resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRequiredTestInstances()
                .findInstance(LockStorageContract.class)
                .orElseThrow()
                .harness();
    }
}
