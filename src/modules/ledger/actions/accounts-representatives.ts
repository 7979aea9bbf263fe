import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { readFromEach } from '../accounts.ts'
import type { LedgerContext } from '../context.ts'

export const accountsRepresentatives = nodeRead({
  name: 'accounts_representatives',
  summary: 'Representative of each of many accounts; unknown and wrong ones are listed under `errors`.',
  input: input({ accounts: field.accounts }),
  example: {
    request: { accounts: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'] },
    response: {
      representatives: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo:
          'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
      },
    },
  },
  output: answer.record({
    representatives: answer.orNothing(answer.map(answer.address)),
    errors: answer.optional(answer.map(answer.text)),
  }),
  run: (ctx, { accounts }, context: LedgerContext) =>
    readFromEach(ctx, context, { action: 'accounts_representatives', name: 'representatives', accounts }),
})
