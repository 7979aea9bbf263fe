import type { TObject } from 'typebox'
import { action } from '../../kernel/action.ts'
import { field, input, optional } from '../../kernel/fields.ts'
import { type Json, type JsonObject, withNano } from '../../kernel/shape.ts'

/** Actions that ask the node about itself or its network and pass the answer on. */
export function networkFact(
  name: string,
  summary: string,
  response: Json,
  output: TObject,
  amounts: readonly string[] = [],
) {
  return action({
    name,
    ofNode: true,
    summary,
    input: input({
      peer_details: optional(field.flag('Include details of peers, if there are any.')),
      include_trend: optional(field.flag('Include the trend of the difficulty.')),
      raw: optional(field.flag('Values of each peer instead of one summary.')),
    }),
    example: { request: {}, response },
    output,
    auth: 'none',
    scope: 'read',
    readOnly: true,
    asNode: { fields: ['address', 'port'] },
    async run({ node }, params) {
      return withNano((await node.read(name, params)) as JsonObject, amounts)
    },
  })
}
