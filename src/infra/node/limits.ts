/** Nodes whose counts differ by at most this are considered equal. */
export const LAG_BLOCKS_MAX = 500
/** Time limit for questions about a node itself. */
export const INQUIRY_TIMEOUT = 2_000
