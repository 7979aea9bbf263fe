import type { TObject } from 'typebox'
import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { type JsonObject, withNano } from '../../../kernel/shape.ts'

const ACCOUNT = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'

/** Actions that return one node answer about one account. */
function accountFact(
  name: string,
  summary: string,
  response: Record<string, string>,
  output: TObject,
  { amounts = [], refusals }: { amounts?: readonly string[]; refusals?: readonly string[] } = {},
) {
  return nodeRead({
    name,
    summary,
    input: input({ account: field.account }),
    example: { request: { account: ACCOUNT }, response },
    output,
    ...(refusals && { refusals }),
    async run({ node }, params) {
      return withNano((await node.read(name, params)) as JsonObject, amounts)
    },
  })
}

export const accountBlockCount = accountFact(
  'account_block_count',
  'How many blocks an account has.',
  { block_count: '3' },
  answer.record({ block_count: answer.whole }),
  { refusals: ['Account not found'] },
)

export const accountRepresentative = accountFact(
  'account_representative',
  'The representative of an account.',
  { representative: ACCOUNT },
  answer.record({ representative: answer.address }),
  { refusals: ['Account not found'] },
)

export const accountWeight = accountFact(
  'account_weight',
  'The voting weight delegated to an account.',
  { weight: '1000000000000000000000000000000', weight_nano: '1' },
  answer.record({ weight: answer.raw, weight_nano: answer.nano }),
  { amounts: ['weight'] },
)

export const delegatorsCount = accountFact(
  'delegators_count',
  'How many accounts delegate to a representative.',
  { count: '1' },
  answer.record({ count: answer.whole }),
)
