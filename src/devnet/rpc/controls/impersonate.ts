import { toAddress } from '../../../kernel/nano/address.ts'
import { refusal } from '../../../kernel/nano/node-refusal.ts'
import type { Handler } from '../handler.ts'
import { requireAccount } from './fields.ts'

const ACCOUNTS_MAX = 10_000

/** Blocks of an account need no signature from now on; with `end` they do again. */
export const devnetImpersonate: Handler = (node, request) => {
  const account = requireAccount(request)
  const { impersonated } = node.ledger
  if (request.flag('end')) impersonated.delete(account)
  else if (impersonated.size >= ACCOUNTS_MAX) throw refusal(`account: ${ACCOUNTS_MAX} are impersonated already`)
  else impersonated.add(account)
  return { impersonated: [...impersonated].map(toAddress) }
}
