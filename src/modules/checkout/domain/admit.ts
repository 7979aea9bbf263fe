import type { Caller } from '../../../kernel/ctx.ts'
import type { MadeWith } from '../../../kernel/rights.ts'
import { keyBound, keyRequired, notForPublicKeys } from '../errors.ts'
import type { CheckoutRequest } from '../wire-fields.ts'

/** Refuses fields that the caller's kind of key may not use (contract 5, Key kinds). */
export function admit(caller: Caller, request: CheckoutRequest): void {
  const { notify, template, mode, webhookUrl, webhookSecret, webhookEvents, webhookProof, invoice, buyer } = request
  const needKey = [
    notify && 'notify',
    template && 'template',
    mode === 'generated_wallet' && 'mode',
    invoice && 'invoice',
    buyer && 'buyer',
  ]
  if (caller.kind === 'anonymous') {
    for (const field of needKey) if (field) throw keyRequired(field)
    return
  }
  if (caller.access === 'secret-key') return
  const secretOnly = [
    notify && 'notify',
    webhookUrl && 'webhook_url',
    webhookSecret && 'webhook_secret',
    webhookEvents && webhookEvents.length > 0 && 'webhook_events',
    webhookProof && 'webhook_proof',
    // Anybody can read a public key: its checkouts must not sum what others send to the shop (contract 2, rule 25).
    mode !== 'unique_amount' && template === undefined && 'mode',
    // Invoice numbers are the account's.
    invoice && 'invoice',
    buyer && 'buyer',
  ]
  for (const field of secretOnly) if (field) throw notForPublicKeys(field)
}

/** A bound key makes checkouts only at its addresses and from its templates; an order from another template must be paid at one of its addresses. */
export function requireBound(caller: Caller, { address, template }: { address: string; template: string | undefined }) {
  const boundTo = caller.kind === 'account' ? caller.rights?.boundTo : undefined
  if (!boundTo || boundTo.addresses.includes(address) || boundTo.templates.includes(template ?? '')) return
  throw keyBound(template === undefined ? 'address' : 'template')
}

export function madeWithOf(caller: Caller): MadeWith | null {
  if (caller.kind === 'anonymous' || caller.access === 'secret-key') return null
  return caller.rights?.boundTo ? 'bound_key' : 'public_key'
}
