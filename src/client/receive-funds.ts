import { type Raw, parseRaw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { ZERO_HASH } from '../kernel/nano/block.ts'
import { isHex } from '../kernel/nano/hex.ts'
import type { Head } from './account-chain.ts'
import { AccountSigner } from './account-signer.ts'
import { type WalletOptions, openOwnChain } from './exact-nano.ts'

const RECEIVED_MAX = 100

export interface Received {
  /** The balance afterwards, in raw. */
  balance: bigint
  blocks: { hash: string; source: string; amount: bigint }[]
}

/**
 * Receives what was sent to an account, so that it can pay; the first receive opens it. Returns its balance in raw. An
 * amount that is reported wrongly is refused by the ledger, because the send it comes from says how much it is.
 */
export async function receiveFunds(options: WalletOptions): Promise<bigint> {
  return (await receiveWaiting(new AccountSigner(openOwnChain(options)))).balance
}

/** Receives up to a hundred sends, one block after the other. */
export async function receiveWaiting(signer: AccountSigner, representative?: PublicKey): Promise<Received> {
  const { chain } = signer
  const opened = await signer.findHead()
  let head: Head = opened ?? { previous: ZERO_HASH, balance: 0n as Raw, representative: representative ?? chain.key }
  const waiting = { account: chain.address, count: String(RECEIVED_MAX), threshold: '1' }
  const { blocks: told } = await chain.rpc('receivable', waiting)
  const blocks: Received['blocks'] = []
  for (const [source, text] of Object.entries((told ?? {}) as Record<string, unknown>)) {
    const amount = parseRaw(String(text))
    if (!isHex(source, 64) || amount === undefined) throw new Error('The ledger does not tell what waits.')
    const subtype = head.previous === ZERO_HASH ? 'open' : 'receive'
    const block = await chain.seal({ ...head, balance: (head.balance + amount) as Raw, link: source }, subtype)
    const hash = await signer.publish(block, subtype)
    blocks.push({ hash, source, amount })
    head = { ...head, previous: hash, balance: block.balance }
  }
  return { balance: head.balance, blocks }
}
