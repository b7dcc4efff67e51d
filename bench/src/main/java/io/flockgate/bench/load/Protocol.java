package io.flockgate.bench.load;

/** The protocol that the server speaks. */
enum Protocol {
    /** dflockd's line protocol. */
    LINE,
    /** Redis: SET NX PX and a compare-and-delete script; a list of tokens where waiters queue. */
    RESP,
    /** dflockd's REST API over HTTP/1.1. */
    HTTP
}
