/** What is known to differ between versions of the node. Whatever is not here is as in V27.1, whose answers were recorded. */
export interface NodeVersion {
  major: string
  minor: string
  /** Whether `mnano_to_raw` is still there. */
  hasOldUnits: boolean
  /** Whether `new_unconfirmed_block` tells the hash beside the block. */
  tellsHash: boolean
}

export const NODE_VERSIONS = {
  27: { major: '27', minor: '1', hasOldUnits: true, tellsHash: false },
  28: { major: '28', minor: '0', hasOldUnits: false, tellsHash: true },
} as const satisfies Record<string, NodeVersion>

export const isNodeVersion = (text: string): text is `${keyof typeof NODE_VERSIONS}` =>
  Object.hasOwn(NODE_VERSIONS, text)
