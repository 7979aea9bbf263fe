import { parseRaw } from '../../src/kernel/money.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import type { LedgerSend } from '../../src/kernel/nano/ledger-send.ts'
import type { NodePort } from '../../src/kernel/ports.ts'
import { textOf, toObject } from '../../src/kernel/shape.ts'

/** For a network of unsigned blocks: believes sends as reported, because these blocks cannot be verified. */
export const sendsAsReported =
  (read: NodePort['read']): NodePort['readSends'] =>
  async (hashes) => {
    const answer = await read('blocks_info', { hashes: [...hashes], json_block: true })
    const blocks = toObject(answer.blocks)
    const sends = new Map<string, LedgerSend>()
    for (const hash of hashes) {
      const told = toObject(blocks[hash])
      const amountRaw = parseRaw(textOf(told.amount))
      if (told.subtype !== 'send' || amountRaw === undefined) continue
      sends.set(hash, {
        hash,
        from: textOf(told.block_account),
        to: toAddress(textOf(toObject(told.contents).link)),
        amountRaw,
        height: Number(told.height ?? 0),
        seconds: Number(told.local_timestamp ?? 0),
        isFinal: told.confirmed === 'true',
        waits: told.receivable === '1',
      })
    }
    return sends
  }

/** Only wallets read whole blocks. */
export const noBlocks: NodePort['readBlocks'] = () => Promise.reject(new Error('Nobody asks for blocks here.'))
