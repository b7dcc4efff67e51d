package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** The order in which the addresses of an agent's name are tried. */
class AgentAddressesTest {
    private static final InetAddress A = address(1);
    private static final InetAddress B = address(2);
    private static final InetAddress C = address(3);

    private final AgentAddresses addresses = new AgentAddresses();

    private static InetAddress address(int last) {
        return InetAddress.ofLiteral("192.0.2." + last);
    }

    private InetAddress[] inOrder() {
        return addresses.inOrder(new InetAddress[] {A, B, C});
    }

    @Test
    void silentAddressesComeLastAndTheLatestAtTheEnd() {
        assertThat(inOrder()).containsExactly(A, B, C);
        assertThat(addresses.avoid(A)).isTrue();
        assertThat(inOrder()).containsExactly(B, C, A);
        assertThat(addresses.avoid(B)).isTrue();
        assertThat(inOrder()).containsExactly(C, A, B);
        assertThat(addresses.avoid(C)).isTrue();
        assertThat(inOrder()).containsExactly(A, B, C);
    }

    /** Its later time-outs must not close the connections to the others. */
    @Test
    void anAddressIsAvoidedOnce() {
        InetAddress[] unused = inOrder();
        assertThat(addresses.avoid(A)).isTrue();
        assertThat(addresses.avoid(A)).isFalse();
        assertThat(inOrder()).containsExactly(B, C, A);
    }

    @Test
    void theOnlyAddressIsNotAvoided() {
        assertThat(addresses.inOrder(new InetAddress[] {A})).containsExactly(A);
        assertThat(addresses.avoid(A)).isFalse();
    }

    /** A name server may answer with a few of many addresses at a time. */
    @Test
    void onlyTheFirstRequestToAnAddressHasLessTime() {
        InetAddress[] unused = inOrder();
        assertThat(addresses.limit(A, 9_000)).isEqualTo(1_000);
        InetAddress[] others = addresses.inOrder(new InetAddress[] {B, C});
        assertThat(others).hasSize(2);
        InetAddress[] again = inOrder();
        assertThat(again).hasSize(3);
        assertThat(addresses.limit(A, 9_000)).isEqualTo(9_000);
    }
}
