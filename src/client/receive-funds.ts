import { type Raw, parseRaw } from '../kernel/money.ts'
import { ZERO_HASH, hashBlock, toBlockJson } from '../kernel/nano/block.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { type Head, type WalletOptions, openWallet } from './wallet.ts'

const RECEIVED_MAX = 100

/**
 * Receives what was sent to an account, so that it can pay; the first receive opens it. Returns its balance in raw. An
 * amount that is told wrongly is refused by the ledger, because the send it comes from says how much it is.
 */
export async function receiveFunds(options: WalletOptions): Promise<bigint> {
  const wallet = openWallet(options)
  const opened = await wallet.readHead()
  let head: Head = opened ?? { previous: ZERO_HASH, balance: 0n as Raw, representative: wallet.key }
  const waiting = { account: wallet.address, count: String(RECEIVED_MAX), threshold: '1' }
  const { blocks } = await wallet.rpc('receivable', waiting)
  for (const [link, text] of Object.entries((blocks ?? {}) as Record<string, unknown>)) {
    const amount = parseRaw(String(text))
    if (!isHex(link, 64) || amount === undefined) throw new Error('The ledger does not tell what waits.')
    const block = await wallet.seal({ ...head, balance: (head.balance + amount) as Raw, link })
    const { hash, error } = await wallet.rpc('process', {
      json_block: 'true',
      subtype: head.previous === ZERO_HASH ? 'open' : 'receive',
      block: toBlockJson(block),
    })
    if (hash !== hashBlock(block)) throw new Error(`The ledger refused to receive: ${String(error)}`)
    head = { ...head, previous: hash, balance: block.balance }
  }
  return head.balance
}
