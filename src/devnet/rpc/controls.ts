import { type Raw, parseNano, parseRaw } from '../../kernel/money.ts'
import { type PublicKey, ZERO_KEY, fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { type StateBlock, hashBlock, parseHex } from '../../kernel/nano/block.ts'
import { type NodeRequest, refusal } from '../../kernel/nano/node-request.ts'
import { findMember } from '../../kernel/nano/request-tree.ts'
import { EVERY_ACTION, FAULT_KINDS, type Fault, WEBSOCKET } from '../faults.ts'
import type { LedgerNode } from '../node.ts'
import type { StoredBlock } from '../records.ts'
import { dumpState, loadState } from '../state.ts'
import type { Handler } from './handler.ts'

/**
 * All actions that no node has. Each is also a command, and a function of the package for tests. `isAction` says for
 * which names a fault can be ordered.
 */
export const openControls = (isAction: (name: string) => boolean) =>
  ({
    devnet_confirm: devnetConfirm,
    devnet_drop: devnetDrop,
    devnet_dump: devnetDump,
    devnet_fault: devnetFault(isAction),
    devnet_fork_block: devnetForkBlock,
    devnet_fund: devnetFund,
    devnet_hold: devnetHold,
    devnet_impersonate: devnetImpersonate,
    devnet_load: devnetLoad,
    devnet_release: devnetRelease,
    devnet_reset: devnetReset,
    devnet_resync: devnetResync,
    devnet_revert: devnetRevert,
    devnet_rollback: devnetRollback,
    devnet_set_time: devnetSetTime,
    devnet_snapshot: devnetSnapshot,
  }) satisfies Record<string, Handler>

export type ControlName = keyof ReturnType<typeof openControls>

const devnetConfirm: Handler = async (node, request) => {
  await node.confirm(request.hash())
  return { success: '' }
}

/** Leaves new blocks unconfirmed. */
const devnetHold: Handler = (node) => {
  node.hold()
  return { success: '' }
}

/** Confirms all waiting blocks, and new blocks automatically again. */
const devnetRelease: Handler = async (node) => {
  await node.release()
  return { success: '' }
}

const devnetDrop: Handler = async (node, request) => ({ dropped: await node.drop(request.hash()) })

/**
 * Rolls back a block, confirmed or not, and everything built on it, as if the node had lost its disk. No node offers
 * this.
 */
const devnetRollback: Handler = async (node, request) => {
  const hash = requireHash(request)
  const gone = await node.write(() => {
    const stored = node.ledger.store.findBlock(hash)
    if (!stored) throw refusal('Block not found')
    if (node.ledger.isGenesis(stored)) throw refusal('Every ledger begins with this block')
    return node.takeBack(hash)
  })
  return { rolled_back: gone }
}

/** Gives every block the same time of arrival, by default now, as on a node that has just downloaded the ledger. */
const devnetResync: Handler = async (node, request) => {
  const text = request.find('timestamp')
  if (text !== undefined && !/^[0-9]{1,10}$/.test(text)) throw refusal('Invalid timestamp')
  const timestamp = text === undefined ? Math.floor(node.clock.now() / 1000) : Number(text)
  await node.write(() => node.ledger.store.stampAll(timestamp))
  return { success: '' }
}

const HOUR = 3_600_000

const devnetForkBlock: Handler = async (node, request) => {
  const hash = requireHash(request)
  return { hash: await forkBlock(node, hash, findWhole(request, 'wins_after_ms', HOUR) ?? 0) }
}

/**
 * Gives an unconfirmed block a rival on the same root. After a while the rival is confirmed, and the block is removed
 * with everything built on it. If a client confirms the block first, the rival loses.
 */
async function forkBlock(node: LedgerNode, hash: string, winsAfterMilliseconds: number): Promise<string> {
  const { ledger } = node
  const findOpen = () => {
    const stored = ledger.store.findBlock(hash)
    return stored && !ledger.isConfirmed(stored) ? stored : undefined
  }
  const rival = await node.write(() => {
    const stored = ledger.store.findBlock(hash)
    if (!stored) throw refusal('hash: Block not found')
    if (ledger.isConfirmed(stored)) throw refusal('hash: Block is confirmed')
    return rivalOf(node, stored)
  })
  const rivalHash = hashBlock(rival)
  const win = (isStill: () => boolean) =>
    node.writeAlone((events) => {
      if (!isStill() || !findOpen()) return
      node.takeBack(hash)
      const applied = ledger.replay(rival)
      if ('refused' in applied) throw new Error(`The rival of ${hash} does not fit: ${applied.refused}`)
      node.follow(rival, applied, events)
      node.confirmNow(rivalHash, events)
    })
  if (winsAfterMilliseconds === 0) await win(() => true)
  else {
    node.endAfter(hash, winsAfterMilliseconds, win)
    node.elections.contested.add(hash)
  }
  return rivalHash
}

/**
 * The rival of a send pays another account, preferably the sender. The rival of any other block names another
 * representative. It is not signed.
 */
function rivalOf({ ledger }: LedgerNode, { block, subtype }: StoredBlock): StateBlock {
  if (block.type !== 'state' || subtype === 'epoch') throw refusal('hash: An epoch block has no rival')
  const others = [block.account, ledger.genesis.account, ZERO_KEY]
  const signature = '0'.repeat(128)
  // The work stays valid, because the root is the same.
  if (subtype === 'send') return { ...block, signature, link: others.find((key) => key !== block.link)! }
  return { ...block, signature, representative: others.find((key) => key !== block.representative)! }
}

/** Sends any amount from the genesis account: `amount` in raw, or `amount_nano`. */
const devnetFund: Handler = async (node, request) => {
  const account = request.account()
  return { hash: await node.fund(account, readAmount(request)) }
}

function readAmount(request: NodeRequest): Raw {
  const [raw, nano] = [request.find('amount'), request.find('amount_nano')]
  if (raw !== undefined && nano !== undefined) throw refusal('Give amount or amount_nano, not both')
  if (raw === undefined && nano === undefined) throw refusal('amount is missing')
  const amount = raw === undefined ? parseNano(nano!) : parseRaw(raw)
  if (amount === undefined) throw refusal(raw === undefined ? 'Invalid amount number' : 'amount must be whole raw')
  return amount
}

const ACCOUNTS_MAX = 10_000

/** Accepts blocks of an account without a valid signature; `end` requires signatures again. */
const devnetImpersonate: Handler = (node, request) => {
  const account = requireAccount(request)
  const { impersonated } = node.ledger
  if (request.flag('end')) impersonated.delete(account)
  else if (impersonated.size >= ACCOUNTS_MAX) throw refusal(`account: ${ACCOUNTS_MAX} are impersonated already`)
  else impersonated.add(account)
  return { impersonated: [...impersonated].map(toAddress) }
}

const devnetSnapshot: Handler = async (node) => ({ id: await node.snapshots.take() })

/** Reverts the ledger to a snapshot, which stays unless `end` deletes it. */
const devnetRevert: Handler = async (node, request) => {
  await node.snapshots.revert(requireText(request, 'id'), { end: request.flag('end') })
  return { success: '' }
}

/** Returns to the genesis; removes all blocks, snapshots, faults and changes of the clock. */
const devnetReset: Handler = async (node) => {
  await node.snapshots.replaceBy(() => node.ledger.startOver())
  return { success: '' }
}

const devnetDump: Handler = (node) => ({ state: { ...dumpState(node) } })

/** Replaces this ledger by a dumped one, completely or not at all. */
const devnetLoad: Handler = async (node, request) => {
  const state = findMember(request.tree, 'state')
  if (!state) throw refusal('state is missing')
  return { blocks: `${await loadState(node, state)}` }
}

const COUNT_MAX = 1_000_000_000

/**
 * Orders a fault for an action, for every action (`*`) or for the websocket; a count of 0 ends it. The field is called
 * `target`, because `action` names the control itself.
 */
const devnetFault =
  (isAction: (name: string) => boolean): Handler =>
  async (node, request) => {
    const target = requireText(request, 'target')
    if (target !== EVERY_ACTION && target !== WEBSOCKET && !isAction(target)) {
      throw refusal(`target must be an action of a node, ${EVERY_ACTION} or ${WEBSOCKET}`)
    }
    const left = findWhole(request, 'count', COUNT_MAX)
    if (left === 0) {
      await setFault(node, target, undefined)
      return { success: '' }
    }
    const text = requireText(request, 'kind')
    const kind = FAULT_KINDS.find((each) => each === text)
    if (!kind) throw refusal(`kind must be one of ${FAULT_KINDS.join(', ')}`)
    if (target === WEBSOCKET && kind !== 'delay' && kind !== 'drop') {
      throw refusal('kind must be delay or drop for the websocket')
    }
    const milliseconds = findWhole(request, 'ms', HOUR)
    if (milliseconds === undefined && (kind === 'delay' || kind === 'lag')) throw refusal('ms is missing')
    await setFault(node, target, { kind, milliseconds: milliseconds ?? 0, ...(left !== undefined && { left }) })
    return { success: '' }
  }

/** Orders or ends a fault. A lagging ledger shows an earlier state, so changes are recorded from now on. */
async function setFault(node: LedgerNode, target: string, fault: Fault | undefined): Promise<void> {
  const { faults, snapshots } = node
  const { undo } = node.ledger.store
  await node.writeAlone(
    () => fault?.kind === 'lag' && undo.start(() => faults.time()),
    () => (fault ? faults.set(target, fault) : faults.end(target)),
  )
  await snapshots.stopIfUnneeded()
}

/** The year 2286: the largest count of seconds with ten digits. */
const SECONDS_MAX = 9_999_999_999

/** Sets or advances the ledger's clock, which continues from there. Confirmations that become due happen at once. */
const devnetSetTime: Handler = (node, request) => {
  const unix = findWhole(request, 'unix', SECONDS_MAX)
  const advance = findWhole(request, 'advance', SECONDS_MAX)
  if ((unix === undefined) === (advance === undefined)) throw refusal('Give unix or advance, in seconds')
  const { clock } = node
  const by = unix === undefined ? advance! * 1000 : unix * 1000 - clock.now()
  if (clock.now() + by > SECONDS_MAX * 1000) throw refusal(`advance leads beyond ${SECONDS_MAX}`)
  clock.shiftTo(clock.shift + by)
  return { unix: `${Math.floor(clock.now() / 1000)}` }
}

/* Fields of the controls. Their errors name the wrong field, because there is no node to imitate. */

function requireText(request: NodeRequest, name: string): string {
  const text = request.find(name)
  if (text === undefined || text === '') throw refusal(`${name} is missing`)
  return text
}

function requireHash(request: NodeRequest): string {
  const hash = parseHex(requireText(request, 'hash'), 64)
  if (hash === undefined) throw refusal('hash must be a block hash')
  return hash
}

function requireAccount(request: NodeRequest): PublicKey {
  const account = fromAddress(requireText(request, 'account'))
  if (account === undefined) throw refusal('account must be a Nano address')
  return account
}

function findWhole(request: NodeRequest, name: string, most: number): number | undefined {
  const text = request.find(name)
  if (text === undefined) return undefined
  if (!/^[0-9]{1,15}$/.test(text) || Number(text) > most) throw refusal(`${name} must be a whole number up to ${most}`)
  return Number(text)
}
