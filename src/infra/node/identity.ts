import { isHex } from '../../kernel/nano/hex.ts'
import { type LedgerIdentity, readGenesis } from '../../kernel/nano/network.ts'
import { type WorkThresholds, formatWork } from '../../kernel/nano/work.ts'
import type { NodeAnswer } from '../../kernel/ports.ts'
import { toFailure } from './failure.ts'

/** The ledger that nodes must have. */
export interface OurLedger extends LedgerIdentity {
  thresholds: WorkThresholds
}

/** What a node reports about its ledger; it need not report anything. */
export interface LedgerReport {
  network?: string | undefined
  genesis?: string | undefined
  /** Whether it has our first block; asked only if the node does not report its own first block. */
  hasOurGenesis?: boolean | undefined
  /** The least work that it accepts. */
  send?: bigint | undefined
  receive?: bigint | undefined
}

type Ask = (request: object) => Promise<NodeAnswer>

/** Asks in every way that nodes, and proxies in front of them, may allow. Throws if the node cannot be reached. */
export async function askForLedger(ask: Ask, ours: OurLedger): Promise<LedgerReport> {
  const [version, difficulty] = await Promise.all([
    tryAsk(ask, { action: 'version' }),
    tryAsk(ask, { action: 'active_difficulty' }),
  ])
  const reported: LedgerReport = {
    network: typeof version?.network === 'string' && version.network !== '' ? version.network : undefined,
    genesis: readGenesis(version?.network_identifier),
    send: readWork(difficulty?.network_minimum),
    receive: readWork(difficulty?.network_receive_minimum),
  }
  reported.genesis ??= readGenesis((await tryAsk(ask, { action: 'telemetry' }))?.genesis_block)
  if (reported.genesis === undefined && ours.genesis !== undefined) {
    reported.hasOurGenesis = readHolding(
      await tryAsk(ask, { action: 'block_info', hash: ours.genesis, json_block: 'true' }),
    )
  }
  return reported
}

type Verdict = { kind: 'ours' } | { kind: 'foreign' | 'unverified'; reason: string }

/**
 * Whether a node has our ledger. Missing reports are no evidence against it, except that its first block must be known.
 */
export function compareLedger(ours: OurLedger, reported: LedgerReport): Verdict {
  const { network, genesis, hasOurGenesis, send = 0n, receive = 0n } = reported
  if (network !== undefined && network !== ours.network) {
    return foreign(`it is on the network ${show(network)}, and we are on ${ours.network}`)
  }
  if (ours.genesis === undefined) return unverified('the nodes do not agree on a first block, and we know none')
  if (genesis !== undefined && genesis !== ours.genesis) {
    return foreign(`the first block of its ledger is ${genesis}, and that of ours ${ours.genesis}`)
  }
  if (hasOurGenesis === false) return foreign(`it does not have the first block of our ledger, ${ours.genesis}`)
  if (genesis === undefined && hasOurGenesis === undefined) return unverified('it does not report which ledger it has')
  // A node that requires less work also accepts our blocks.
  const { thresholds } = ours
  if (send > thresholds.send || receive > thresholds.receive) {
    const asks = `${formatWork(send)} for a send and ${formatWork(receive)} for a receive`
    const ours = `${formatWork(thresholds.send)} and ${formatWork(thresholds.receive)}`
    return foreign(`it asks for more work than we compute: ${asks}, and we stop at ${ours}`)
  }
  return { kind: 'ours' }
}

const foreign = (reason: string): Verdict => ({ kind: 'foreign', reason })
const unverified = (reason: string): Verdict => ({ kind: 'unverified', reason })

/** Text from a node, for the log: shortened, on one line. */
const show = (word: string) => JSON.stringify(word.slice(0, 40))

/** Undefined if the node, or a proxy in front of it, does not answer this question. */
async function tryAsk(ask: Ask, request: object): Promise<NodeAnswer | undefined> {
  try {
    return await ask(request)
  } catch (error) {
    const failure = toFailure(error)
    if (failure.kind === 'broken') return undefined
    throw failure
  }
}

function readWork(text: unknown): bigint | undefined {
  return typeof text === 'string' && isHex(text, 16) ? BigInt(`0x${text}`) : undefined
}

function readHolding(answer: NodeAnswer | undefined): boolean | undefined {
  if (typeof answer?.block_account === 'string') return true
  return answer?.error === 'Block not found' ? false : undefined
}
