import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { MANY_WAITING, listWaiting } from '../accounts.ts'
import { WAITING } from './receivable.ts'
import type { LedgerContext } from '../context.ts'

const account = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const accountsPending = nodeRead({
  name: 'accounts_pending',
  summary:
    'Old name of `accounts_receivable`, in the formats that programs expect: hashes, amounts with `threshold` or `sorting`, amount and source with `source`.',
  input: input({ ...MANY_WAITING, source: optional(field.flag('Include the sender of each.')) }),
  example: {
    request: { accounts: [account], count: '1' },
    response: { blocks: { [account]: ['D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7'] } },
  },
  output: answer.record({
    blocks: answer.orNothing(
      answer.map(answer.oneOf(answer.list(answer.hash), answer.map(answer.oneOf(answer.raw, WAITING)))),
    ),
    errors: answer.optional(answer.map(answer.text)),
  }),
  run: (ctx, asked, context: LedgerContext) => listWaiting(ctx, asked, context),
})
