import { balanceOf } from './account-balance.ts'
import { forEachAccount } from './for-each-account.ts'
import type { Handler } from './handler.ts'

export const accountsBalances: Handler = (node, request) =>
  forEachAccount(request, 'balances', (account, given) => ({
    key: given,
    value: balanceOf(node, account, request.flag('include_only_confirmed', true)),
  }))
