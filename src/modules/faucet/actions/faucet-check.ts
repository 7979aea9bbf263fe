import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { formatNano } from '../../../kernel/money.ts'
import { checkFaucet } from '../domain/eligibility.ts'
import type { FaucetContext } from '../context.ts'

export const ADDRESS = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'

export const faucetCheck = action({
  name: 'faucet_check',
  summary: 'Whether an address may claim from the faucet, and when. With a key it checks the account too.',
  input: input({ nano_address: field.account }),
  fieldSynonyms: { address: 'nano_address', account: 'nano_address' },
  example: {
    request: { nano_address: ADDRESS },
    response: {
      eligible: true,
      amount: '0.001',
      amount_raw: '1000000000000000000000000000',
      next_claim_unix: 1794710000,
    },
  },
  output: answer.record({
    eligible: answer.bool,
    amount: answer.nano,
    amount_raw: answer.raw,
    next_claim_unix: answer.unix,
    reason: answer.optional(answer.text),
  }),
  auth: 'none',
  scope: 'read',
  async run({ caller, ip, node }, { nano_address: address }, context: FaucetContext) {
    const accountId = caller.kind === 'account' ? caller.accountId : undefined
    const { eligible, nextAt, reason } = await checkFaucet({ ...context, node }, { accountId, address, ip })
    return {
      eligible,
      amount: formatNano(context.faucet.amount),
      amount_raw: context.faucet.amount.toString(),
      next_claim_unix: Math.ceil(nextAt / 1000),
      ...(reason !== undefined && { reason }),
    }
  },
})
