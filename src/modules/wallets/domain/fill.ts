import { type Raw, toRaw } from '../../../kernel/money.ts'
import type { WalletContext } from '../context.ts'
import { deleteQueuedReceive, markSigned } from '../outbox-moves-store.ts'
import type { OutboxBlock } from '../outbox-store.ts'
import type { Unfinished } from '../unfinished-store.ts'
import type { WalletLock } from '../lock-store.ts'
import { readDeposits, type Chain } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import { queueReceives } from './queue-receives.ts'
import { maySend } from './may-send.ts'
import { refuseSend } from './refuse.ts'
import type { Step } from './step.ts'
import { DecryptionFailed } from '../../../kernel/wallet-alarm.ts'
import { type PublicKey, fromAddress } from '../../../kernel/nano/address.ts'
import { type StateBlock, hashBlock, rootOf, toBlockJson } from '../../../kernel/nano/block.ts'
import { toSigningKey, verifyHash } from '../../../kernel/nano/keys.ts'
import { workValue } from '../../../kernel/nano/work.ts'
import type { KeyHolder, EncryptedKey } from '../../../kernel/key-vault.ts'
import { masterKeyMissing } from '../errors.ts'
import { getEncryptedKey } from '../keys-store.ts'
import type { Wallet } from '../store.ts'
import { broadcastBlock } from './broadcast.ts'
import { movedUnderLock } from './lock.ts'

/** The next operation of a wallet, at a frontier on which our record and the ledger agree. */
interface NextBlock {
  wallet: Wallet
  chain: Chain
  queued: OutboxBlock
}

/** The stored key can be decrypted but does not belong to the wallet. */
class WrongKey extends Error {}

/**
 * Signs the next block of a wallet, stores it before anyone else can see it, and publishes it. A crash before the commit leaves nothing
 * behind; after it, the same bytes are published again and again.
 */
async function signNext(ctx: WalletContext, lock: WalletLock, next: NextBlock, amount: Raw): Promise<Step> {
  const { wallet, queued } = next
  const draft = toDraft(ctx, next, amount)
  const threshold = queued.kind === 'send' ? ctx.thresholds.send : ctx.thresholds.receive
  const root = rootOf(draft)
  const { work } = await ctx.work.generate({ root, threshold, class: 'wallet', payer: `wallet:${wallet.id}` })
  if (workValue(root, work) < threshold) throw new Error('Work below its threshold was about to be used.')
  const hash = hashBlock(draft)
  let signature: string
  try {
    signature = await signWith(ctx, wallet, hash)
  } catch (error) {
    if (!(error instanceof WrongKey || error instanceof DecryptionFailed)) throw error
    await freezeWallet(ctx, wallet, { reason: error.message, kind: 'key' })
    return 'idle'
  }
  const block = JSON.stringify(toBlockJson({ ...draft, work, signature }))
  const { previous, balance } = draft
  // If its client has given up meanwhile, nothing is stored, and the signature is discarded before anyone sees it.
  const signed = await movedUnderLock(ctx, lock, (db, now) =>
    markSigned(db, queued.id, { hash, previous, balance, amount, block }, now),
  )
  return signed ? broadcastBlock(ctx, wallet, signed) : 'moved'
}

/** The block before work and signature. The change of the balance is checked twice, because it cannot be reverted. */
function toDraft({ rules }: WalletContext, { wallet, chain, queued }: NextBlock, amount: Raw): StateBlock {
  const account = keyOf(wallet.address)
  const sends = queued.kind === 'send'
  const balance = toRaw(sends ? chain.balance - amount : chain.balance + amount)
  const link = sends ? keyOf(queued.destination!) : queued.sourceHash!
  const { representative } = rules
  const draft: StateBlock = {
    type: 'state',
    account,
    previous: chain.frontier,
    representative: chain.representative ?? (representative === undefined ? account : keyOf(representative)),
    balance,
    link,
    signature: '',
    work: '',
  }
  const change = sends ? chain.balance - draft.balance : draft.balance - chain.balance
  const wanted = queued.amount ?? chain.balance
  const agrees = chain.frontier === wallet.frontier && chain.balance === wallet.balance
  if (amount <= 0n || change !== amount || amount !== wanted || !agrees) {
    throw new Error('A block was about to be signed that does not do what was asked for.')
  }
  return draft
}

/** The key is decrypted only for the time of one signature. */
async function signWith(context: WalletContext, wallet: Wallet, hash: string): Promise<string> {
  const holder = { walletId: wallet.id, address: wallet.address }
  const encrypted = await getEncryptedKey(context.store.db, wallet.id)
  const bytes = openOrWait(context, holder, encrypted)
  try {
    const key = toSigningKey(bytes)
    if (key.publicKey !== keyOf(wallet.address)) throw new WrongKey('The encrypted key is not the key of its address.')
    const signature = key.sign(hash)
    // A wrongly computed signature can reveal the key, so every signature is verified before it leaves.
    if (!verifyHash(key.publicKey, hash, signature)) throw new Error('A signature was computed wrongly.')
    return signature
  } finally {
    bytes.fill(0)
  }
}

/**
 * A missing master key is not the wallet's fault: during a rotation, another gateway may have it already. This pass fails, the operator is
 * notified, and the next pass tries again.
 */
function openOrWait({ vault, alarm }: WalletContext, holder: KeyHolder, encrypted: EncryptedKey): Uint8Array {
  try {
    return vault.open(holder, encrypted)
  } catch (error) {
    if (error instanceof DecryptionFailed) throw error
    const reason = error instanceof Error ? error.message : 'The master keys cannot be read.'
    alarm('master_key', { walletId: holder.walletId, reason })
    throw masterKeyMissing(error)
  }
}

function keyOf(address: string): PublicKey {
  const key = fromAddress(address)
  if (key === undefined) throw new Error('The store holds an address that is none.')
  return key
}

const DEPOSITS_MAX = 1_000
/** How long a deposit stays queued while the nodes disagree about it. */
const DOUBT_MAX = 60_000

/** Operations queued for a wallet. */
type Wishes = Omit<Unfinished, 'open'>

type Stand = Omit<NextBlock, 'queued'>

/**
 * Turns a queued operation into a signed block. The first send that the balance covers comes first, so that neither a larger send before
 * it nor any number of small deposits delays it; then the largest deposit, because a send may need it.
 */
export async function fillQueued(ctx: WalletContext, lock: WalletLock, stand: Stand, wishes: Wishes): Promise<Step> {
  const { wallet, chain } = stand
  const { sends, receives } = wishes
  const [wanting] = sends
  const sendsAllowed = await maySend(ctx, wallet.accountId)
  if (wanting && sendsAllowed) {
    const queued = sends.find((send) => isCovered(send, chain.balance, receives))
    if (queued) return signNext(ctx, lock, { ...stand, queued }, queued.amount ?? chain.balance)
    if (wanting.planId !== null) {
      await freezeWallet(ctx, wallet, { reason: 'The plan of its ending shares out more than it holds.' })
      return 'idle'
    }
    if (!willBeCovered(wanting, chain.balance, receives)) {
      const step = await receiveFirst(ctx, { ...stand, queued: wanting }, receives)
      if (step === 'moved') return step
    }
  }
  if (receives.length > 0) return fillReceive(ctx, lock, stand, receives)
  return sendsAllowed ? 'waiting' : 'idle'
}

/** "Everything" means the balance after all queued deposits are received. */
function isCovered({ amount }: OutboxBlock, balance: Raw, receives: readonly OutboxBlock[]): boolean {
  return amount === null ? balance > 0n && receives.length === 0 : amount > 0n && amount <= balance
}

function willBeCovered({ amount }: OutboxBlock, balance: Raw, receives: readonly OutboxBlock[]): boolean {
  if (amount === null) return balance > 0n
  return receives.reduce((sum, receive) => sum + receive.amount!, balance as bigint) >= amount
}

/** When the balance does not suffice, receives what is receivable if that helps (contract 4.2, rule 7). */
async function receiveFirst(
  { store, node, queue }: WalletContext,
  { wallet, chain, queued }: NextBlock,
  receives: readonly OutboxBlock[],
): Promise<Step> {
  const deposits = await readDeposits(node, wallet.address, { count: DEPOSITS_MAX, threshold: 1n })
  let within = chain.balance
  const needed = deposits.filter(({ amount }) => {
    const isNeeded = queued.amount === null || within < queued.amount
    if (isNeeded) within = toRaw(within + amount)
    return isNeeded
  })
  const suffices = within > 0n && within >= (queued.amount ?? 0n)
  if (suffices && (await queueReceives(store, wallet.id, needed)) > 0) return 'moved'
  if (suffices && receives.length > 0) return 'waiting'
  // A payment by the service waits until there is enough money; a client gets the error now.
  if (queued.deadlineAt === null) return (await queueReceives(store, wallet.id, deposits)) > 0 ? 'moved' : 'waiting'
  if (await refuseSend(store.db, queued.id, 'insufficient_funds')) queue.reportBlock(queued.id)
  return 'moved'
}

/** The list may be outdated or false: receives only final sends of this amount to this wallet, the largest first. */
async function fillReceive(
  ctx: WalletContext,
  lock: WalletLock,
  stand: Stand,
  receives: readonly OutboxBlock[],
): Promise<Step> {
  const { node, store } = ctx
  const { address } = stand.wallet
  const sends = await node.readSends(receives.map(({ sourceHash }) => sourceHash!))
  let largest: OutboxBlock | undefined
  for (const receive of receives) {
    const send = sends.get(receive.sourceHash!)
    const isDeposit = send?.to === address && send.amountRaw === receive.amount
    if (isDeposit && send.isFinal) largest = largest && largest.amount! >= receive.amount! ? largest : receive
    // Nodes learn of a block at different moments; if it is final after all, it is listed and queued again.
    else if (!isDeposit || store.clock.now() - receive.createdAt > DOUBT_MAX)
      await deleteQueuedReceive(store.db, receive.id)
  }
  return largest ? signNext(ctx, lock, { ...stand, queued: largest }, largest.amount!) : 'waiting'
}
