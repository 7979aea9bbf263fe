import type { Caller, Ctx } from '../kernel/ctx.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import { Leaving } from '../kernel/leaving.ts'
import { accountOf, charged, counted } from './charge.ts'
import { credentialsOf } from './remembered.ts'
import { countUse, type Passing } from './passing.ts'

/** Runs the action; only this part of a request can cost something. */
export async function run(
  passing: Passing,
  { caller, idempotency, leaving }: { caller: Caller; idempotency: Idempotency | undefined; leaving: Leaving },
): Promise<string> {
  const { gateway, request, endpoint, trace, found } = passing
  const { store, names, remembered, nodeFor, tariffs } = gateway
  const { requestId, text, ip } = request
  const { action } = found!
  const ctx: Ctx = {
    requestId,
    caller,
    payer: payerOf(caller, ip),
    ip,
    idempotency,
    replays: () => void (trace.replayed = true),
    leaving,
    node: nodeFor(trace, leaving),
    store,
    charged: (meter, metered) => charged({ store, caller, ip, tariffs }, meter, metered),
    counted: (meter, metered) => counted({ store, caller, ip, tariffs }, meter, metered),
  }
  const namesRevision = names.revision
  const result = passing.asked!.run(ctx)
  // An answer is not shared if the caller paid for it, if it depends on more than the node's answer, or if the action
  // needs a key.
  const isPaid = caller.kind === 'anonymous' && caller.paidBy !== undefined
  if (!action.readOnly || action.auth !== 'none' || isPaid) {
    const answer = endpoint.write(await result)
    countUse(passing)
    return answer
  }
  const known = { found: found!, prefix: endpoint.prefix, credentials: credentialsOf(passing.body!), namesRevision }
  const running = Promise.resolve(result).then(endpoint.write)
  const { flight, ignored: ignoredNames } = trace
  const join = (leaving: Leaving) => flight!.join(leaving)
  // If the client that began a read leaves, no further reads follow, and everybody who waits for the answer gets an
  // error.
  const isAbandoned = () => leaving.left
  if (flight) remembered.share(text, { ...known, ignoredNames, running, join, isAbandoned })
  const answer = await running
  countUse(passing)
  // An answer is remembered from the second request on, because most requests never repeat.
  const freshness = trace.cache === 'hit' ? trace.fresh : undefined
  if (freshness) remembered.put(text, { ...known, ignoredNames, text: answer, freshness })
  return answer
}

/**
 * Whose share of a limited resource a request uses: that of the account whose credits the caller may spend, of the
 * address that paid for the request, or else of the network address.
 */
function payerOf(caller: Caller, ip: string): string {
  if (caller.kind === 'anonymous' && caller.paidBy !== undefined) return `x402:${caller.paidBy}`
  const account = accountOf(caller)
  return account === undefined ? `ip:${ip}` : `acc:${account}`
}
