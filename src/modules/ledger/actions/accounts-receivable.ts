import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { MANY_WAITING, listWaiting } from '../accounts.ts'
import { WAITING } from './receivable.ts'
import type { LedgerContext } from '../context.ts'

export const accountsReceivable = nodeRead({
  name: 'accounts_receivable',
  summary: 'Sends that each of many accounts has not received yet: account, then hash, then amount and source.',
  input: input({
    ...MANY_WAITING,
    source: optional(field.flag('Accepted for compatibility; the source is always included.')),
  }),
  example: {
    request: { accounts: ['nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'], count: '1' },
    response: {
      blocks: {
        nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8: {
          D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7: {
            amount: '1000000000000000000000000000000000',
            amount_nano: '1000',
            source: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
          },
        },
      },
    },
  },
  output: answer.record({
    blocks: answer.orNothing(answer.map(answer.map(WAITING))),
    errors: answer.optional(answer.map(answer.text)),
  }),
  run: (ctx, asked, context: LedgerContext) => listWaiting(ctx, { ...asked, source: true }, context),
})
