import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError, missingField } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, toList, toObject, withNano } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'
import { requireAccounts } from '../identifiers.ts'
import { withUsername } from '../blocks.ts'

export const accountHistory = nodeRead({
  name: 'account_history',
  summary: 'Sends and receives of an account, newest first.',
  input: input({
    account: optional(field.account),
    count: field.count,
    head: optional(field.head),
    offset: optional(field.offset),
    reverse: optional(field.flag('Oldest first.')),
    raw: optional(field.flag('Every block with all its fields.')),
    account_filter: optional(field.accounts),
  }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', count: '1' },
    response: {
      account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
      history: [
        {
          type: 'send',
          account: 'nano_1s8zpnan59ooisiat9huwybmeg9hrgp8i3xqat11cfbfikfq5rb7sfcuc798',
          amount: '1000000000000000000000000000000000000',
          amount_nano: '1000000',
          local_timestamp: '1794710044',
          height: '4',
          hash: '49F22AA130D891E4C29E29251F4E4D6E49B839E885C1C8C67D6DC2155C2CA616',
          confirmed: 'true',
        },
      ],
      previous: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
    },
  },
  output: answer.record({
    account: answer.address,
    history: answer.orNothing(
      answer.list(
        answer.record({
          type: answer.text,
          account: answer.optional(answer.address),
          amount: answer.optional(answer.raw),
          amount_nano: answer.optional(answer.nano),
          local_timestamp: answer.whole,
          height: answer.whole,
          hash: answer.hash,
          confirmed: answer.flag,
          username: answer.optional(answer.text),
        }),
      ),
    ),
    previous: answer.optional(answer.hash),
    next: answer.optional(answer.hash),
  }),
  refusals: ['Account not found', 'Block not found'],
  asNode: { names: ['history'], fields: ['hash'] },
  async run(ctx, { account, head, count, account_filter, ...rest }, context: LedgerContext) {
    if (account === undefined && head === undefined) throw missingField('account')
    if (count === 0) throw new AppError('invalid_count', 'Invalid count', { body: { field: 'count' } })
    const answer = await ctx.node.read('account_history', {
      // The node ignores the account when it has a head.
      ...(head === undefined ? { account } : { head }),
      count: boundedCount(context, count),
      ...rest,
      ...(account_filter && { account_filter: await requireAccounts(context.names, account_filter, 'account_filter') }),
    })
    const entries = toList(answer.history).map((entry) =>
      withUsername(context.names, withNano(toObject(entry), ['amount', 'balance']), 'account'),
    )
    return { ...(answer as JsonObject), history: entries.length > 0 ? entries : '' }
  },
})
