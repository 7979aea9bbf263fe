import type { Confirmation, NodePort } from '../../kernel/ports.ts'
import { readOrEmpty } from '../../kernel/read-or-empty.ts'
import { toList, toObject, textOf } from '../../kernel/shape.ts'

const BLOCKS_MAX = 100

/** Confirmed blocks of an account, and sends to it, since a time; oldest first. */
export async function findSince(node: NodePort, account: string, since: number): Promise<Confirmation[]> {
  const [history, receivable] = await Promise.all([
    readOrEmpty(node, 'account_history', { account, count: BLOCKS_MAX, raw: true }),
    readOrEmpty(node, 'receivable', { account, count: BLOCKS_MAX, threshold: '1' }),
  ])
  const own = toList(history.history)
    .map(toObject)
    .filter((entry) => entry.confirmed === 'true' && Number(entry.local_timestamp) * 1_000 >= since)
    .map((entry) => textOf(entry.hash))
  const hashes = [...own.reverse(), ...Object.keys(toObject(receivable.blocks))]
  if (hashes.length === 0) return []
  const { blocks } = await node.read('blocks_info', { hashes, json_block: true, include_not_found: true })
  return hashes
    .map((hash) => ({ hash, block: toObject(toObject(blocks)[hash]) }))
    .filter(({ block }) => block.confirmed === 'true' && Number(block.local_timestamp) * 1_000 >= since)
    .map(({ hash, block }) => ({
      hash,
      account: textOf(block.block_account),
      amount: textOf(block.amount),
      block: { ...(toObject(block.contents) as Record<string, string>), subtype: textOf(block.subtype) },
      type: 'active_confirmation_height',
      time: `${Number(block.local_timestamp) * 1_000}`,
    }))
}
