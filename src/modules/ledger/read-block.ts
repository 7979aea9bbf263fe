import { AppError } from '../../kernel/errors.ts'
import { type Block, fromBlockJson } from '../../kernel/nano/block.ts'

const invalidBlock = () => new AppError('invalid_block', 'Block is invalid', { body: { field: 'block' } })

/** Reads a block that came as an object or as JSON in a string. */
export function readBlock(given: unknown): Block {
  const members = typeof given === 'string' ? parseText(given) : given
  if (typeof members !== 'object' || members === null) throw invalidBlock()
  const block = fromBlockJson((name) => {
    const value = Object.hasOwn(members, name) ? (members as Record<string, unknown>)[name] : undefined
    return typeof value === 'string' ? value : undefined
  })
  if (!block) throw invalidBlock()
  return block
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidBlock()
  }
}
