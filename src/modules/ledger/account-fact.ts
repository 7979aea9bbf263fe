import type { TObject } from 'typebox'
import { action } from '../../kernel/action.ts'
import { field, input } from '../../kernel/fields.ts'
import { type JsonObject, withNano } from '../../kernel/shape.ts'

export const ACCOUNT = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'

/** Actions that ask the node one thing about one account and pass its answer on. */
export function accountFact(
  name: string,
  summary: string,
  response: Record<string, string>,
  output: TObject,
  { amounts = [], refusals }: { amounts?: readonly string[]; refusals?: readonly string[] } = {},
) {
  return action({
    name,
    ofNode: true,
    summary,
    input: input({ account: field.account }),
    example: { request: { account: ACCOUNT }, response },
    output,
    ...(refusals && { refusals }),
    auth: 'none',
    scope: 'read',
    readOnly: true,
    async run({ node }, params) {
      return withNano((await node.read(name, params)) as JsonObject, amounts)
    },
  })
}
