import type { Caller } from '../../../kernel/ctx.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { createParser } from '../../../kernel/parse-fields.ts'
import { resolveNames } from '../../names/index.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import type { CheckoutContext } from '../context.ts'
import { type Opened, openCheckout } from '../domain/open.ts'
import { readCheckout, refuseUnproved } from '../wire-fields.ts'

/** Makes a checkout from the fields of the action, for REST and the dashboard. */
export function createOpener(ctx: CheckoutContext) {
  const parse = createParser(checkoutAction)
  const { prices, rules } = ctx.ports
  return async (
    caller: Caller,
    body: Readonly<Record<string, unknown>>,
  ): Promise<(idempotency: Idempotency | undefined) => Promise<Opened>> => {
    const fields = parse((await resolveNames(ctx.names, body, checkoutAction)).params)
    const reading = { currencies: prices.currencies, plainHttpAllowed: rules.plainHttpAllowed }
    refuseUnproved(ctx.ports, fields)
    return (idempotency) => openCheckout(ctx, caller, readCheckout(fields, reading), idempotency)
  }
}
