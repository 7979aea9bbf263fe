import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { boundedCount } from '../count.ts'
import { readAccounts } from '../identifiers.ts'
import { WAITING, withDetails } from './receivable.ts'

export const accountsReceivable = action({
  name: 'accounts_receivable',
  ofNode: true,
  synonyms: ['accounts_pending'],
  summary: 'Sends that wait for each of many accounts: account, then hash, then amount and source.',
  input: input({
    accounts: field.accounts,
    count: optional(field.count),
    threshold: optional(field.threshold),
    source: optional(field.flag('Accepted for compatibility; the source is always included.')),
    sorting: optional(field.flag('Largest first.')),
    include_active: optional(field.flag('Include blocks in an open election.')),
    include_only_confirmed: optional(field.flag('Confirmed sends only, which is the default.')),
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
  auth: 'none',
  caching: 'events',
  async run(ctx, { accounts, count, threshold, source: _always, ...rest }) {
    const entries = await readAccounts(ctx, accounts)
    // A wrong address fails the question, as it does for the node; a name that nobody has any more does not cost the others their answer.
    const wrong = entries.findIndex(({ given, error }) => error !== undefined && !given.startsWith('@'))
    if (wrong >= 0) {
      throw new AppError('invalid_account', 'Bad account number', { body: { field: `accounts[${wrong}]` } })
    }
    const known = entries.filter((entry) => entry.address !== undefined)
    const answer =
      known.length === 0
        ? {}
        : await ctx.node.read('accounts_receivable', {
            accounts: [...new Set(known.map(({ address }) => address))],
            count: boundedCount(ctx, count),
            threshold: threshold?.toString(),
            source: true,
            ...rest,
          })
    const found = toObject(answer.blocks)
    const blocks: JsonObject = {}
    for (const { given, address } of known) {
      const shaped: JsonObject = {}
      for (const [hash, details] of Object.entries(toObject(found[address]))) {
        shaped[hash] = withDetails(ctx.names, details)
      }
      if (Object.keys(shaped).length > 0) blocks[given] = shaped
    }
    const unknown = entries.filter((entry) => entry.address === undefined)
    return {
      blocks: orEmpty(blocks),
      ...(unknown.length > 0 && { errors: Object.fromEntries(unknown.map(({ given, error }) => [given, error])) }),
    }
  },
})
