package io.flockgate.gateway.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every transcript of the protocol documents. */
@Execution(ExecutionMode.CONCURRENT)
class TranscriptTest {
    private final Plays plays = new Plays(8, List::of);

    @AfterEach
    void stop() {
        plays.close();
    }

    @TestFactory
    List<DynamicTest> theServerDoesWhatTheTranscriptShows() throws IOException {
        return plays.of(TranscriptFiles.all());
    }

    @Test
    void everyTranscriptHasANameOfItsOwn() throws IOException {
        assertThat(TranscriptFiles.all()).extracting(Transcript::name).doesNotHaveDuplicates();
    }
}
