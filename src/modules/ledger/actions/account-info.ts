import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, withNano } from '../../../kernel/shape.ts'

const AMOUNTS = [
  'balance',
  'confirmed_balance',
  'weight',
  'pending',
  'receivable',
  'confirmed_pending',
  'confirmed_receivable',
] as const

export const accountInfo = nodeRead({
  name: 'account_info',
  summary: 'Frontier, balance, representative and block count of one account. Read it right before building a block.',
  input: input({
    account: field.account,
    representative: optional(field.flag('Include the representative.')),
    weight: optional(field.flag('Include the voting weight.')),
    pending: optional(field.flag('Old name of `receivable`.')),
    receivable: optional(field.flag('Include the receivable sum.')),
    include_confirmed: optional(field.flag('Include confirmed values beside the current ones.')),
  }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', representative: true },
    response: {
      frontier: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      open_block: '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9',
      representative_block: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      balance: '340282366920938463463374607431768211455',
      balance_nano: '340282366.920938463463374607431768211455',
      modified_timestamp: '1794710041',
      block_count: '3',
      account_version: '2',
      confirmation_height: '3',
      confirmation_height_frontier: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
    },
  },
  output: answer.record({
    frontier: answer.hash,
    open_block: answer.hash,
    representative_block: answer.hash,
    balance: answer.raw,
    balance_nano: answer.nano,
    modified_timestamp: answer.whole,
    block_count: answer.whole,
    account_version: answer.whole,
    confirmation_height: answer.whole,
    confirmation_height_frontier: answer.hash,
    representative: answer.optional(answer.address),
    weight: answer.optional(answer.raw),
    weight_nano: answer.optional(answer.nano),
    pending: answer.optional(answer.raw),
    pending_nano: answer.optional(answer.nano),
    receivable: answer.optional(answer.raw),
    receivable_nano: answer.optional(answer.nano),
    address: answer.optional(answer.address),
  }),
  refusals: ['Account not found'],
  async run({ node }, { account, representative, weight, pending, receivable, include_confirmed }) {
    const answer = await node.read('account_info', {
      account,
      representative,
      weight,
      receivable: receivable ?? pending,
      include_confirmed,
    })
    return withNano({ ...(answer as JsonObject), ...confirmationOf(answer as JsonObject) }, AMOUNTS)
  },
})

/** The node gives these two values other names when asked for confirmed ones; the usual names are added for clients that read those. */
function confirmationOf({ confirmed_height, confirmed_frontier }: JsonObject): JsonObject {
  if (confirmed_height === undefined) return {}
  return { confirmation_height: confirmed_height, confirmation_height_frontier: confirmed_frontier }
}
