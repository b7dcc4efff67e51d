package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.cli.FleetLockCommand.ZincatiId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZincatiIdTest {
    @ParameterizedTest
    @CsvSource({
        "1c09ca98649c4c7abc779cd04c96812e, 978a225b3d7b40e9acd7ce9b62f68444",
        "1c09ca98-649c-4c7a-bc77-9cd04c96812e, 978a225b3d7b40e9acd7ce9b62f68444",
        "1C09CA98649C4C7ABC779CD04C96812E, 978a225b3d7b40e9acd7ce9b62f68444",
        "dfd7882acda64c34aca76193c46f5d4e, 35ba2101ae3f4d45b96e9c51f461bbff"
    })
    void isWhatZincatiMakesOfAMachineId(String machine, String id) {
        assertThat(ZincatiId.of(machine)).contains(id);
        assertThat(ZincatiId.of(machine + "\n")).contains(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "1c09ca98649c4c7abc779cd04c96812", "uninitialized", "00000000000000000000000000000000"})
    void isNotMadeOfWhatIsNoMachineId(String machine) {
        assertThat(ZincatiId.of(machine)).isEmpty();
    }
}
