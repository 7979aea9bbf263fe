import { toAddress } from '../../kernel/nano/address.ts'
import { forEachAccount } from './for-each-account.ts'
import { getAccount } from './get-account.ts'
import type { Handler } from './handler.ts'

export const accountsRepresentatives: Handler = (node, request) =>
  forEachAccount(request, 'representatives', (account, given) => ({
    key: given,
    value: toAddress(getAccount(node, account).representative),
  }))
