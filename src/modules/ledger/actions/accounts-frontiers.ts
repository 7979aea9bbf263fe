import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { missingField } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { readFromEach } from '../accounts.ts'
import type { LedgerContext } from '../context.ts'

export const accountsFrontiers = nodeRead({
  name: 'accounts_frontiers',
  synonyms: ['account_frontiers'],
  ownSynonyms: ['account_frontiers'],
  summary: 'Newest block of each of many accounts; unknown and wrong ones are listed under `errors`.',
  input: input({ accounts: optional(field.accounts), account: optional(field.account) }),
  example: {
    request: { accounts: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'] },
    response: {
      frontiers: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo:
          '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      },
    },
  },
  output: answer.record({
    frontiers: answer.orNothing(answer.map(answer.hash)),
    errors: answer.optional(answer.map(answer.text)),
  }),
  async run(ctx, { account, accounts }, context: LedgerContext) {
    const given = accounts ?? (account === undefined ? undefined : [account])
    if (!given) throw missingField('accounts')
    return readFromEach(ctx, context, { action: 'accounts_frontiers', name: 'frontiers', accounts: given })
  },
})
