import { type Json, type JsonObject, toObject, withNano } from '../../kernel/shape.ts'

/** Twins for a block's own amounts and, when its contents are an object, for the balance in them. */
export function shapeBlock(block: JsonObject): JsonObject {
  const shaped = withNano(block, ['amount', 'balance'])
  if (shaped.contents !== undefined) shaped.contents = shapeContents(shaped.contents)
  return shaped
}

/** Only state blocks write their balance in raw; in older ones it is hexadecimal, even where no letter shows it. */
export function shapeContents(contents: Json): Json {
  const members = toObject(contents)
  return members.type === 'state' ? withNano(members, ['balance']) : contents
}
