import type { Raw } from '../../../kernel/money.ts'
import type { AddressLook } from '../ports.ts'
import { BEFORE_LOOKS } from '../sightings-store.ts'

/** How far clocks of nodes and ours may differ; nodes also report whole seconds only. */
export const CLOCK_SLACK = 5_000

/** A send on the ledger, with everything that nodes report about it. */
export interface IncomingSend {
  hash: string
  from: string
  to: string
  amountRaw: Raw
  /** When the send was first known, to us or to the node, whichever is earlier. A freshly synced node reports the time of its sync. */
  at: number
  /** A time of our own clock at which the send was on the ledger already. */
  knownAt: number
  /** The height at which the receiver's chain has received the send; null while it is receivable. */
  receivedAt: number | null
}

/** When the send was made, as far as anyone knows: a node that keeps no times reports 0. */
export const timeOf = ({ at, knownAt }: Pick<IncomingSend, 'at' | 'knownAt'>): number => at || knownAt

/** For an address that was generated this moment: nothing can have been sent there. */
export const NOTHING_THERE: AddressLook = { frontier: null, height: 0, waiting: [] }

/** When an owner began to wait at an address, and what was on the address then. */
export interface Baseline {
  since: number
  look: number | null
  lookHeight: number | null
}

/**
 * Whether a send came to an address after a checkout began to wait there. The ledger proves it: the look at the address
 * at that moment did not find the send, and the address had not received it by then. The time at which a node saw the
 * block proves nothing, because a freshly synced node saw all blocks today.
 */
export function cameAfter(send: IncomingSend, sightedAt: number | undefined, { since, look, lookHeight }: Baseline) {
  if (sightedAt !== undefined && sightedAt <= (look ?? BEFORE_LOOKS)) return false
  // A checkout of version 0.1 has no look at its address, so the node's time must suffice until such checkouts have
  // ended.
  if (look === null) return since <= send.at + CLOCK_SLACK
  // An earlier look found this send before this checkout began. Clocks of instances differ; within that slack the checks below decide.
  if (send.knownAt + CLOCK_SLACK < since) return false
  return send.receivedAt === null || send.receivedAt > (lookHeight ?? 0)
}
