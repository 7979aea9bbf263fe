import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { AppError } from '../../../kernel/errors.ts'
import { input } from '../../../kernel/fields.ts'
import { readCredits } from '../domain/credits.ts'

export const rpcCredits = action({
  name: 'rpc_credits',
  summary: 'Credits left, and usage on each of the last 30 days.',
  input: input({}),
  example: {
    request: {},
    response: { credits: 1000, plan: 'prepaid', usage: { '2026-11-15': { account_balance: 9 } } },
  },
  output: answer.record({
    credits: answer.integer,
    plan: answer.words('free', 'prepaid'),
    usage: answer.map(answer.map(answer.integer)),
  }),
  auth: 'secret-key',
  scope: 'reports',
  async run({ store, caller }) {
    if (caller.kind !== 'account') throw new AppError('key_required', 'API key required for rpc_credits.')
    return readCredits(store, caller.accountId)
  },
})
