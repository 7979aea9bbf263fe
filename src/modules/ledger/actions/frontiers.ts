import { nodeRead } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { badField } from '../../../kernel/errors.ts'
import { field, input } from '../../../kernel/fields.ts'
import { orEmpty, toObject } from '../../../kernel/shape.ts'
import { type LedgerContext, boundedCount } from '../context.ts'

export const frontiers = nodeRead({
  name: 'frontiers',
  summary: 'Accounts in the order of their public keys, from this one on, each with its last block.',
  input: input({ account: field.account, count: field.count }),
  example: {
    request: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo', count: '1' },
    response: {
      frontiers: {
        nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo:
          '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
      },
    },
  },
  output: answer.record({ frontiers: answer.orNothing(answer.map(answer.hash)) }),
  async run({ node }, { account, count }, context: LedgerContext) {
    if (count === 0) throw badField('count', 'Invalid count', 'invalid_count')
    const answer = await node.read('frontiers', { account, count: boundedCount(context, count) })
    return { frontiers: orEmpty(toObject(answer.frontiers)) }
  },
})
