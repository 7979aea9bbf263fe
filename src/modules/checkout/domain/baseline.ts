import type { Raw } from '../../../kernel/money.ts'
import type { AddressLook } from '../ports.ts'
import { BEFORE_LOOKS } from '../sightings-store.ts'

/** Clocks of nodes and ours differ by this much, and nodes tell whole seconds. */
export const CLOCK_SLACK = 5_000

/** A send on the ledger that a node has told us everything about. */
export interface IncomingSend {
  hash: string
  from: string
  to: string
  amountRaw: Raw
  /** When it was first known, here or to the node, whichever is earlier. A node that was synced anew knows no better. */
  at: number
  /** A moment of our own clock at which it was on the ledger already. */
  knownAt: number
  /** The height at which its receiver has received it; null while it waits. */
  receivedAt: number | null
}

/** When it was sent, as far as anybody knows: a node that keeps no times has none to tell. */
export const timeOf = ({ at, knownAt }: Pick<IncomingSend, 'at' | 'knownAt'>): number => at || knownAt

/** An address that was made this moment: nothing can have been sent there. */
export const NOTHING_THERE: AddressLook = { frontier: null, height: 0, waiting: [] }

/** Who waits at an address, and what lay there before. */
export interface Baseline {
  since: number
  look: number | null
  lookHeight: number | null
}

/**
 * Whether a send came to an address after a checkout began to wait there. The ledger itself says so: the send was not
 * among what lay there, and its receiver has not received it at a height that the chain had already. When a node first
 * saw a block proves nothing, because a node that is synced anew sees all of them today.
 */
export function cameAfter(send: IncomingSend, sightedAt: number | undefined, { since, look, lookHeight }: Baseline) {
  if (sightedAt !== undefined && sightedAt <= (look ?? BEFORE_LOOKS)) return false
  // Made by 0.1, which did not look: the node's time is all there is, for the days that are left to it.
  if (look === null) return since <= send.at + CLOCK_SLACK
  // Found by a look of ours that ended before this one began; clocks of instances differ, and what they leave open the rest tells.
  if (send.knownAt + CLOCK_SLACK < since) return false
  return send.receivedAt === null || send.receivedAt > (lookHeight ?? 0)
}
