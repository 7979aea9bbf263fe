import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { field, input } from '../../../kernel/fields.ts'
import type { JsonObject } from '../../../kernel/shape.ts'

export const blockConfirm = action({
  name: 'block_confirm',
  ofNode: true,
  summary: 'Asks the representatives to vote on an unconfirmed block.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: { started: '1' },
  },
  output: answer.record({ started: answer.bit }),
  refusals: ['Block not found'],
  auth: 'none',
  scope: 'read',
  run: (ctx, { hash }) => confirm(ctx, hash),
  asNode: { run: (ctx, { request }) => confirm(ctx, request.hash()) },
})

/** For a confirmed block the node is not asked: it would give the same answer and notify all its subscribers again, on anyone's request. */
async function confirm({ node }: Ctx, hash: string): Promise<JsonObject> {
  const { confirmed } = await node.read('block_info', { hash, json_block: true })
  if (confirmed === 'true') return { started: '1' }
  return (await node.read('block_confirm', { hash })) as JsonObject
}
