import { type StateBlock, fromBlockJson } from '../../../kernel/nano/block.ts'
import type { OutboxBlock } from '../outbox-store.ts'

/** A signed block of ours as it was stored; only its work may ever change. */
export function readStored({ block: text }: Pick<OutboxBlock, 'block'>): StateBlock {
  const members = JSON.parse(text!) as Record<string, string>
  const block = fromBlockJson((name) => members[name])
  if (block?.type !== 'state') throw new Error('The outbox holds a block that is none.')
  return block
}

/** The deposit that a signed block receives. */
export const sourceOf = (block: Pick<OutboxBlock, 'block' | 'kind'>): string | null =>
  block.kind === 'receive' ? readStored(block).link : null
