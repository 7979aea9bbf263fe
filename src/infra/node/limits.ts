/** Nodes whose counts differ by no more than this count as equal. */
export const LAG_BLOCKS_MAX = 500
/** Time limit of questions about the node itself. */
export const INQUIRY_TIMEOUT = 2_000
