/** Nodes that are no further apart than this say the same. */
export const LAG_BLOCKS_MAX = 500
/** How long a question about the node itself may take. */
export const INQUIRY_TIMEOUT = 2_000
