import { toAddress } from '../../kernel/nano/address.ts'
import { getAccount } from './get-account.ts'
import { forEachAccount } from './for-each-account.ts'
import type { Handler } from './handler.ts'

export const accountsFrontiers: Handler = (node, request) =>
  forEachAccount(request, 'frontiers', (account) => ({
    key: toAddress(account),
    value: getAccount(node, account).head,
  }))
