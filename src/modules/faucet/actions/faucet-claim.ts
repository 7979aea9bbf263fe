import { action } from '../../../kernel/action.ts'
import { AppError } from '../../../kernel/errors.ts'
import { field, input } from '../../../kernel/fields.ts'
import { formatNano } from '../../../kernel/money.ts'
import { claimFaucet } from '../domain/claim.ts'
import { showClaim } from '../show-claim.ts'
import { ADDRESS } from './faucet-check.ts'

export const faucetClaim = action({
  name: 'faucet_claim',
  summary: 'A little nano to try things out, once a day for each account and address.',
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
  auth: 'secret-key',
  caching: 'never',
  once: true,
  async run(ctx, { nano_address: address }) {
    const { caller, ip, idempotencyKey } = ctx
    if (caller.kind !== 'account') throw new AppError('key_required', 'API key required for faucet_claim.')
    const { claim, hash } = await claimFaucet(ctx, { accountId: caller.accountId, address, ip, idempotencyKey })
    return {
      success: true,
      message: `You have been sent ${formatNano(claim.amount)} nano.`,
      claim: showClaim(claim, hash),
    }
  },
})
