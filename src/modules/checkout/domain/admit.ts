import type { Caller } from '../../../kernel/ctx.ts'
import { keyRequired, notForPublicKeys } from '../errors.ts'
import type { CheckoutRequest } from '../wire-fields.ts'

/** Who may ask for what (contract 5, Key kinds). */
export function admit(caller: Caller, request: CheckoutRequest): void {
  const { notify, template, mode, webhookUrl, webhookSecret, webhookEvents, invoice } = request
  const needKey = [
    notify && 'notify',
    template && 'template',
    mode === 'generated_wallet' && 'mode',
    invoice && 'invoice',
  ]
  if (caller.kind === 'anonymous') {
    for (const field of needKey) if (field) throw keyRequired(field)
    return
  }
  if (caller.door === 'secret-key') return
  const secretOnly = [
    notify && 'notify',
    webhookUrl && 'webhook_url',
    webhookSecret && 'webhook_secret',
    webhookEvents && webhookEvents.length > 0 && 'webhook_events',
    // Anybody can read a public key: its orders must not sum what others send to the shop (contract 2, rule 25).
    mode !== 'unique_amount' && template === undefined && 'mode',
    // Its numbers are the account's.
    invoice && 'invoice',
  ]
  for (const field of secretOnly) if (field) throw notForPublicKeys(field)
}
