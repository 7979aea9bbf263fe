import type { Caller } from '../kernel/ctx.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import { hasScope, isInForceAtOnce, movesMoney } from '../kernel/rights.ts'
import { Leaving } from '../kernel/leaving.ts'
import type { LimitDecision } from '../kernel/ports.ts'
import { identify, identifyNow } from '../modules/accounts/index.ts'
import { authorize } from './authorize.ts'
import { extractCredential } from './credential.ts'
import { type Asked, endpointOf } from './endpoints.ts'
import { fingerprintOf, once, readIdempotencyKey } from './once.ts'
import { type Purchase, pay, readPurchase } from './pay.ts'
import type { RpcOutcome, RpcRequest, RpcTrace } from './rpc-request.ts'
import type { Entry } from './throttle.ts'
import { traceRpc, traceSteps } from './trace-rpc.ts'
import { run } from './run-action.ts'
import { type Gateway, type Passing, countUse, type Step } from './passing.ts'

/** The steps of a request in their order, which is the security model. ARCHITECTURE.md contains this list. */
export const ORDER: readonly Step[] = [
  { name: 'recall', what: 'looks for a remembered answer to the same bytes', pass: recall },
  { name: 'find', what: 'reads the body and finds the action (400, 404)', pass: find },
  { name: 'identify', what: 'takes the credential and asks whose it is (401, 403)', pass: recognize },
  { name: 'throttle', what: 'counts it against its caller (429)', pass: enter },
  { name: 'repeat', what: 'answers with what was remembered', pass: repeat },
  { name: 'price', what: 'takes the payment, or asks for it (402)', pass: price },
  { name: 'read', what: 'replaces names by addresses and reads the fields (400)', pass: read },
  { name: 'authorize', what: "lets the caller reach the action, as far as a key's scopes go (401, 403)", pass: open },
  { name: 'act', what: 'settles the payment (402, 503), acts once (409), charges (403, 429) and runs', pass: act },
]

const TRACED_ORDER = traceSteps<Passing, Step>(ORDER)

/**
 * Takes a request through all steps and returns the answer as JSON text, with the trace for the transport. Answers
 * synchronously if no step has to wait.
 */
export function dispatch(gateway: Gateway, request: RpcRequest): RpcOutcome | Promise<RpcOutcome> {
  const trace: RpcTrace = {
    requestId: request.requestId,
    cache: undefined,
    fresh: undefined,
    flight: undefined,
    action: undefined,
    caller: undefined,
    limit: undefined,
    ignored: undefined,
  }
  const passing: Passing = {
    gateway,
    request,
    endpoint: endpointOf(request),
    trace,
    order: ORDER,
    known: undefined,
    body: undefined,
    found: undefined,
    caller: undefined,
    credential: undefined,
    isCounted: false,
    entry: undefined,
    purchase: undefined,
    asked: undefined,
    answer: undefined,
  }
  if (gateway.store.traces === undefined) return walk(passing, 0)
  return traceRpc(gateway.store.traces, request, (isTraced) => {
    if (isTraced) passing.order = TRACED_ORDER
    return walk(passing, 0)
  })
}

/** Runs the steps from this one on, until one of them returns the answer. */
function walk(passing: Passing, from: number): RpcOutcome | Promise<RpcOutcome> {
  try {
    for (let at = from; at < passing.order.length && passing.answer === undefined; at++) {
      const passed = passing.order[at]!.pass(passing)
      if (passed === undefined) continue
      return passed.then(
        () => walk(passing, at + 1),
        (error: unknown) => fail(passing, error),
      )
    }
  } catch (error) {
    return fail(passing, error)
  }
  passing.entry?.leave()
  return { trace: passing.trace, answer: passing.answer! }
}

async function fail(passing: Passing, error: unknown): Promise<RpcOutcome> {
  passing.entry?.leave()
  return { trace: passing.trace, error: await countFailure(passing, error) }
}

function recall(passing: Passing): void {
  const { gateway, request, endpoint } = passing
  passing.known = gateway.remembered.find(request.text, endpoint.prefix)
}

function find(passing: Passing): void {
  const { gateway, request, endpoint, trace, known } = passing
  if (known) {
    passing.found = known.found
    passing.body = known.credentials
  } else {
    passing.body = endpoint.parse(request.text, gateway.registry)
    passing.found = endpoint.find(gateway.registry, passing.body)
  }
  trace.action = passing.found.action.name
}

function recognize(passing: Passing): void | Promise<void> {
  const { gateway, request, trace, body, found } = passing
  const { headers, url } = request
  const credential = extractCredential({ headers, url, body, action: found!.action })
  passing.credential = credential
  const keep = (caller: Caller) => {
    passing.caller = caller
    trace.caller = caller
  }
  const caller =
    credential === undefined && request.isLocal === true
      ? ({ kind: 'anonymous', isLocal: true } as const)
      : identify(gateway.keys, credential, originOf(passing))
  return caller instanceof Promise ? caller.then(keep) : keep(caller)
}

function originOf({ request: { headers } }: Passing): string | undefined {
  return typeof headers.origin === 'string' ? headers.origin : undefined
}

function enter(passing: Passing): void | Promise<void> {
  const { gateway, request, trace } = passing
  const caller = passing.caller!
  passing.isCounted = true
  const keep = (entry: Entry) => {
    trace.limit = entry.decision
    passing.entry = entry
  }
  const entering = gateway.throttle.enter(caller, request.ip, caller.kind === 'account' && caller.prepaid)
  return entering instanceof Promise ? entering.then(keep) : keep(entering)
}

function repeat(passing: Passing): void | Promise<void> {
  const { gateway, request, endpoint, trace, known } = passing
  if (!known) return
  // A remembered answer cannot be used if this caller must pay for it or lacks the scope, or if it is still being read
  // and may be outdated. Then the remaining steps run.
  const goOn = () => {
    passing.body = endpoint.parse(request.text, gateway.registry)
  }
  if (isSold(passing) || !mayRecall(passing) || (known.running && !known.join(request.leaving))) return goOn()
  trace.cache = known.running ? 'coalesced' : 'hit'
  trace.ignored = known.ignoredNames
  const keep = (text: string) => {
    countUse(passing)
    passing.answer = text
  }
  if (!known.running) return keep(known.text)
  return known.running.then(keep, (error: unknown) => {
    if (!known.isAbandoned()) throw error
    trace.cache = undefined
    goOn()
  })
}

/**
 * Whether the caller must pay for this request. A request with any credential, even a wrong one, is never sold
 * (contract 5, rule 8).
 */
function isSold({ gateway, caller, found }: Passing): boolean {
  if (caller!.kind !== 'anonymous' || caller!.isLocal === true) return false
  return gateway.seller?.goods.has(found!.action.name) ?? false
}

/** Whether the key's scopes allow the remembered answer. If not, the request continues, and `authorize` refuses it. */
function mayRecall({ caller, found }: Passing): boolean {
  return caller!.kind === 'anonymous' || hasScope(caller!, found!.action.scope)
}

function price(passing: Passing): void | Promise<void> {
  const { gateway, request, endpoint, trace, body } = passing
  const { action } = passing.found!
  // Set before a price is answered, so that a caller who must pay first also sees which fields are ignored.
  trace.ignored = endpoint.ignored(passing.found!, body!)
  if (!isSold(passing)) return
  return readPurchase(gateway.seller!, action, { ...request, trace }).then((purchase) => {
    passing.purchase = purchase
  })
}

/** Reads the parameters. No earlier step costs or changes anything. */
function read(passing: Passing): void | Promise<void> {
  const { gateway, endpoint, found, body } = passing
  const reading = endpoint.read(gateway, found!, body!)
  const keep = (asked: Asked) => {
    passing.asked = asked
  }
  return reading instanceof Promise ? reading.then(keep) : keep(reading)
}

function open(passing: Passing): void | Promise<void> {
  const { gateway, found, caller, asked, credential } = passing
  authorize(found!.action, caller!, asked!.scope)
  if (credential === undefined || caller!.kind !== 'account' || !isInForceAtOnce(asked!.scope)) return
  return identifyNow(gateway.keys, credential, originOf(passing)).then((now) => {
    authorize(found!.action, now, asked!.scope)
    passing.caller = now
  })
}

async function act(passing: Passing): Promise<void> {
  passing.answer = await (passing.purchase ? actPaid(passing, passing.purchase) : actOnce(passing))
}

const meaningOf = ({ endpoint, found, body }: Passing) =>
  endpoint.shape + fingerprintOf(body!, found!.action.input.properties)

function actPaid(passing: Passing, purchase: Purchase): Promise<string> {
  const { request, trace } = passing
  // A paid call is finished even if the client has left; the client can fetch the stored answer later.
  const act = (caller: Caller) => run(passing, { caller, idempotency: undefined, leaving: new Leaving() })
  return pay(purchase, { ...request, trace }, { fingerprint: meaningOf(passing), run: act })
}

function actOnce(passing: Passing): Promise<string> {
  const { gateway, request, trace, body, found } = passing
  const caller = passing.caller!
  const act = (idempotency?: Idempotency) => run(passing, { caller, idempotency, leaving: request.leaving })
  const key = passing.asked!.once ? readIdempotencyKey(request.headers, body!) : undefined
  if (key === undefined) return act()
  const seen = {
    accountId: repeaterOf(caller, request.ip),
    action: found!.action.name,
    key,
    fingerprint: meaningOf(passing),
    movesMoney: movesMoney(passing.asked!.scope),
    onReplay: () => (trace.replayed = true),
  }
  return once({ ...gateway.store, secrets: gateway.secrets }, seen, act)
}

/**
 * Who shares Idempotency-Keys. Callers without an account are distinguished by address, so that nobody reads another
 * caller's answer. So are holders of a public key, who could otherwise use up a key of the account.
 */
function repeaterOf(caller: Caller, ip: string): string {
  if (caller.kind === 'anonymous') return `ip:${ip}`
  return caller.access === 'public-key' ? `${caller.keyId}:${ip}` : caller.accountId
}

/**
 * Counts unreadable requests and wrong credentials against the network address, so that nobody can try them without
 * limit.
 */
async function countFailure({ gateway, request, trace, isCounted }: Passing, error: unknown): Promise<unknown> {
  if (isCounted) return error
  try {
    trace.limit = await countUnread(gateway, request.ip)
    return error
  } catch (limited) {
    return limited
  }
}

/** Counts a request of an anonymous caller; refuses it (429) if its address has sent too many. */
export async function countUnread(
  { throttle }: Pick<Gateway, 'throttle'>,
  ip: string,
): Promise<LimitDecision | undefined> {
  const entry = await throttle.enter({ kind: 'anonymous' }, ip, false)
  entry.leave()
  return entry.decision
}
