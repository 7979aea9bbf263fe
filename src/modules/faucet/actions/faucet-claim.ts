import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input } from '../../../kernel/fields.ts'
import { formatNano } from '../../../kernel/money.ts'
import { claimFaucet, claimShown } from '../domain/claim.ts'
import { ADDRESS } from './faucet-check.ts'
import type { FaucetContext } from '../context.ts'

export const faucetClaim = action({
  name: 'faucet_claim',
  summary: 'A little nano to try things out, once a day per account and address.',
  input: input({ nano_address: field.account }),
  fieldSynonyms: { address: 'nano_address', account: 'nano_address' },
  example: {
    request: { nano_address: ADDRESS },
    response: {
      success: true,
      message: 'You have been sent 0.001 nano.',
      claim: {
        id: 'fct_8ZrVq3kPtWn2mXy5CdEfGh',
        nano_address: ADDRESS,
        amount: '0.001',
        amount_raw: '1000000000000000000000000000',
        status: 'sent',
        tx_hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
        created_at: 1794710000000,
      },
    },
  },
  output: answer.record({
    success: answer.bool,
    message: answer.text,
    claim: claimShown.schema,
  }),
  errors: {
    feature_disabled: 'The faucet is closed.',
    insufficient_funds: 'The faucet is empty. Nothing was claimed.',
    limit_reached: 'The faucet does not pay to this address.',
    too_many_requests: 'The account, the address, the network or everybody together has reached the limit for a day.',
    wallet_busy: 'The claim is stored and will be paid later. Do not claim again.',
  },
  auth: 'secret-key',
  scope: 'wallets:send',
  once: true,
  async run({ caller, ip, idempotency, node }, { nano_address: address }, context: FaucetContext) {
    if (caller.kind !== 'account') throw new AppError('key_required', 'API key required for faucet_claim.')
    const { claim, hash } = await claimFaucet(
      { ...context, node },
      {
        accountId: caller.accountId,
        address,
        ip,
        idempotencyKey: idempotency?.key,
      },
    )
    return {
      success: true,
      message: `You have been sent ${formatNano(claim.amount)} nano.`,
      claim: claimShown.show(claim, hash),
    }
  },
})
