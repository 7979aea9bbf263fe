import { DecryptionFailed } from '../../../kernel/wallet-alarm.ts'
import { type Raw, toRaw } from '../../../kernel/money.ts'
import { type PublicKey, fromAddress } from '../../../kernel/nano/address.ts'
import { type StateBlock, hashBlock, rootOf, toBlockJson } from '../../../kernel/nano/block.ts'
import { toSigningKey, verifyHash } from '../../../kernel/nano/keys.ts'
import { workValue } from '../../../kernel/nano/work.ts'
import type { KeyHolder, EncryptedKey } from '../../../kernel/key-vault.ts'
import type { WalletContext } from '../context.ts'
import { masterKeyMissing } from '../errors.ts'
import { markSigned } from '../outbox-moves-store.ts'
import { type OutboxBlock } from '../outbox-store.ts'
import { getEncryptedKey } from '../keys-store.ts'
import type { WalletLock } from '../lock-store.ts'
import type { Wallet } from '../store.ts'
import { broadcastBlock } from './broadcast.ts'
import type { Chain } from './chain.ts'
import { freezeWallet } from './freeze.ts'
import { movedUnderLock } from './lock.ts'
import type { Step } from './step.ts'

/** The next operation of a wallet, at a frontier on which our record and the ledger agree. */
export interface NextBlock {
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
export async function signNext(ctx: WalletContext, lock: WalletLock, next: NextBlock, amount: Raw): Promise<Step> {
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
