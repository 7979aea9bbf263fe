import { type JsonObject, toObject, withNano } from '../../kernel/shape.ts'

/** Twins for a block's own amounts and, when its contents are an object, for the balance in them. */
export function shapeBlock(block: JsonObject): JsonObject {
  const shaped = withNano(block, ['amount', 'balance'])
  if (typeof shaped.contents === 'object') shaped.contents = withNano(toObject(shaped.contents), ['balance'])
  return shaped
}
