import { AppError } from '../../kernel/errors.ts'
import { type Block, fromBlockJson } from '../../kernel/nano/block.ts'
import type { Names } from '../../kernel/ports.ts'
import { type Json, type JsonObject, toObject, withNano } from '../../kernel/shape.ts'

const invalidBlock = () => new AppError('invalid_block', 'Block is invalid', { body: { field: 'block' } })

/** Reads a block given as an object or as a JSON string. `work` is for a block that has none. */
export function readBlock(given: unknown, work?: string): Block {
  const members = typeof given === 'string' ? parseText(given) : given
  if (typeof members !== 'object' || members === null) throw invalidBlock()
  const block = fromBlockJson((name) => {
    const value = Object.hasOwn(members, name) ? (members as Record<string, unknown>)[name] : undefined
    if (name === 'work' && (value ?? '') === '') return work
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

/** Adds `_nano` counterparts to a block's amounts and, when its contents are an object, to the balance in them. */
export function shapeBlock(block: JsonObject): JsonObject {
  const shaped = withNano(block, ['amount', 'balance'])
  if (shaped.contents !== undefined) shaped.contents = shapeContents(shaped.contents)
  return shaped
}

/** Only state blocks write their balance in raw; older ones in hexadecimal, even when it contains no letter. */
export function shapeContents(contents: Json): Json {
  const members = toObject(contents)
  return members.type === 'state' ? withNano(members, ['balance']) : contents
}

/** Adds the username of the address in member `name`, if it has one. */
export function withUsername(names: Names, record: JsonObject, name: string): JsonObject {
  const address = record[name]
  const username = typeof address === 'string' ? names.usernameOf(address) : undefined
  return username === undefined ? record : { ...record, username }
}
