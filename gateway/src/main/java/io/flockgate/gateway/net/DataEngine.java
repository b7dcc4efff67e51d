package io.flockgate.gateway.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A TLS engine that limits what a client can make it keep. On the connection's event loop, except
 * the tasks of the handshake.
 *
 * <ol>
 *   <li>Each {@link ClientHello} is checked before the JDK's engine reads it.
 *   <li>Each record that the engine has read is counted by {@link RecordLimits}.
 * </ol>
 */
final class DataEngine extends SSLEngine {
    private final SSLEngine engine;
    private final RecordLimits limits = new RecordLimits();

    DataEngine(SSLEngine engine) {
        this.engine = engine;
    }

    void completeHandshake() {
        limits.completeHandshake();
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        checkHello(source);
        return counted(engine.unwrap(source, targets, offset, length));
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer target) throws SSLException {
        checkHello(source);
        return counted(engine.unwrap(source, target));
    }

    /** There is a handshake session as soon as the engine has answered with a ServerHello. */
    private void checkHello(ByteBuffer source) throws SSLException {
        if (limits.isHandshakeComplete() || !source.hasRemaining() || engine.getHandshakeSession() != null) {
            return;
        }
        String fault = ClientHello.fault(source);
        if (fault != null) {
            throw new SSLException(fault);
        }
    }

    private SSLEngineResult counted(SSLEngineResult result) throws SSLException {
        if (result.bytesConsumed() > 0) {
            limits.count(result.bytesConsumed(), result.bytesProduced());
        }
        return result;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        return engine.wrap(sources, offset, length, target);
    }

    @Override
    public @Nullable Runnable getDelegatedTask() {
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        return engine.isOutboundDone();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return engine.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return engine.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        engine.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return engine.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return engine.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        engine.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return engine.getSession();
    }

    @Override
    public @Nullable SSLSession getHandshakeSession() {
        return engine.getHandshakeSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        engine.beginHandshake();
    }

    @Override
    public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
        return engine.getHandshakeStatus();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        engine.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        engine.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        engine.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        engine.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return engine.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        engine.setSSLParameters(parameters);
    }

    @Override
    public @Nullable String getApplicationProtocol() {
        return engine.getApplicationProtocol();
    }

    @Override
    public @Nullable String getHandshakeApplicationProtocol() {
        return engine.getHandshakeApplicationProtocol();
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(
            @Nullable BiFunction<SSLEngine, List<String>, String> selector) {
        engine.setHandshakeApplicationProtocolSelector(selector);
    }

    @Override
    public @Nullable BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return engine.getHandshakeApplicationProtocolSelector();
    }
}
