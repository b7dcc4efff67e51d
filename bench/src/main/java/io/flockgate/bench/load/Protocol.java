package io.flockgate.bench.load;

/** How the server is spoken to. */
enum Protocol {
    /** dflockd's line protocol. */
    LINE,
    /** Redis: SET NX PX and a compare-and-delete script; a list of tokens where waiters queue. */
    RESP,
    /** dflockd's REST API over HTTP/1.1. */
    HTTP
}
