import type { Ctx } from '../../../kernel/ctx.ts'
import { AppError, missingField } from '../../../kernel/errors.ts'
import { field, optional, input } from '../../../kernel/fields.ts'
import type { Names } from '../../../kernel/ports.ts'
import { type Json, type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { withDetails, WAITING } from './receivable.ts'
import { readAccounts } from '../identifiers.ts'
import { type LedgerContext, boundedCount } from '../context.ts'
import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'

/** The flags of requests for the receivable sends of many accounts. */
const MANY_WAITING = {
  accounts: field.accounts,
  count: optional(field.count),
  threshold: optional(field.threshold),
  sorting: optional(field.flag('Largest first.')),
  include_active: optional(field.flag('Include blocks in an open election.')),
  include_only_confirmed: optional(field.flag('Confirmed sends only, which is the default.')),
}

interface Asked {
  accounts: string[]
  count?: number
  threshold?: bigint
  source?: boolean | undefined
  [flag: string]: unknown
}

/** The receivable sends of many accounts, in the shape that the flags request from the node. */
async function listWaiting(
  { node }: Ctx,
  { accounts, count, threshold, ...flags }: Asked,
  { names, countMax }: LedgerContext,
): Promise<JsonObject> {
  const entries = await readAccounts(names, accounts)
  // A wrong address fails the request, as it does in the node; an expired username fails only its own entry.
  const wrong = entries.findIndex(({ given, error }) => error !== undefined && !given.startsWith('@'))
  if (wrong >= 0) {
    throw new AppError('invalid_account', 'Bad account number', { body: { field: `accounts[${wrong}]` } })
  }
  const known = entries.filter((entry) => entry.address !== undefined)
  const answer =
    known.length === 0
      ? {}
      : await node.read('accounts_receivable', {
          accounts: [...new Set(known.map(({ address }) => address))],
          count: boundedCount({ countMax }, count),
          threshold: threshold?.toString(),
          ...flags,
        })
  const found = toObject(answer.blocks)
  const blocks: JsonObject = {}
  for (const { given, address } of known) {
    const waiting = shape(names, found[address])
    if (waiting !== '') blocks[given] = waiting
  }
  const unknown = entries.filter((entry) => entry.address === undefined)
  return {
    blocks: orEmpty(blocks),
    ...(unknown.length > 0 && { errors: Object.fromEntries(unknown.map(({ given, error }) => [given, error])) }),
  }
}

/** Hashes stay a list and amounts stay amounts; objects get their `_nano` counterpart and username. */
function shape(names: Names, waiting: Json | undefined): Json {
  if (Array.isArray(waiting)) return waiting.length > 0 ? waiting : ''
  const shaped: JsonObject = {}
  for (const [hash, details] of Object.entries(toObject(waiting))) shaped[hash] = withDetails(names, details)
  return orEmpty(shaped)
}

/** Sends a list action to the node and returns every identifier as the client wrote it, with its value or under `errors`. */
async function readFromEach(
  { node }: Ctx,
  { names }: LedgerContext,
  { action, name, accounts: given }: { action: string; name: string; accounts: readonly string[] },
): Promise<JsonObject> {
  const entries = await readAccounts(names, given)
  const wanted = [...new Set(entries.map(({ address }) => address).filter((address) => address !== undefined))]
  const answer = wanted.length ? await node.read(action, { accounts: wanted }) : {}
  const values = toObject(answer[name])
  const refused = toObject(answer.errors)
  const found: JsonObject = {}
  // Without a prototype, because a key is what the client wrote, which may be `__proto__`.
  const errors: JsonObject = Object.create(null)
  for (const { given, address, error } of entries) {
    if (address !== undefined && values[address] !== undefined) found[given] = values[address]
    else errors[given] = error ?? refused[address] ?? 'Account not found'
  }
  return { [name]: found, ...(Object.keys(errors).length > 0 && { errors }) }
}

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

const ACCOUNT = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'

export const accountsPending = nodeRead({
  name: 'accounts_pending',
  summary:
    'Old name of `accounts_receivable`, in the formats that programs expect: hashes, amounts with `threshold` or `sorting`, amount and source with `source`.',
  input: input({ ...MANY_WAITING, source: optional(field.flag('Include the sender of each.')) }),
  example: {
    request: { accounts: [ACCOUNT], count: '1' },
    response: { blocks: { [ACCOUNT]: ['D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7'] } },
  },
  output: answer.record({
    blocks: answer.orNothing(
      answer.map(answer.oneOf(answer.list(answer.hash), answer.map(answer.oneOf(answer.raw, WAITING)))),
    ),
    errors: answer.optional(answer.map(answer.text)),
  }),
  run: (ctx, asked, context: LedgerContext) => listWaiting(ctx, asked, context),
})
