import type { Caller, Ctx, Trace } from '../kernel/ctx.ts'
import type { Deed } from '../kernel/deed.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import { Leaving } from '../kernel/leaving.ts'
import type { KeyLookup, NodePort, SecretBox } from '../kernel/ports.ts'
import { type UsageMeter, identify } from '../modules/accounts/index.ts'
import type { Seller } from '../modules/x402/index.ts'
import { authorize } from './authorize.ts'
import { type Tariffs, accountOf, charged, counted } from './charge.ts'
import { type RequestHeaders, extractCredential } from './credential.ts'
import { type Asked, type Readable, doorOf } from './door.ts'
import { fingerprintOf, once, readIdempotencyKey } from './once.ts'
import { pay, readPurchase } from './pay.ts'
import type { RegisteredAction, Registry } from './registry.ts'
import type { RememberedAnswers } from './remembered.ts'
import type { RpcRequest } from './rpc-request.ts'
import type { Throttle } from './throttle.ts'

/** What every request shares; the node and the caller are added for each. */
export interface Gateway extends Readable {
  registry: Registry
  keys: KeyLookup
  remembered: RememberedAnswers
  throttle: Throttle
  nodeFor(trace: Trace, leaving: Leaving): NodePort
  tariffs: Tariffs
  usage: UsageMeter
  /** Seals the answers that are kept for repeated requests. */
  secrets: SecretBox
  /** Sells actions by request; unset where none has a price. */
  seller: Seller | undefined
  store: StoreCtx
}

/** One request, guard by guard; the answer is JSON text. The order of these lines is the security model. */
export async function dispatch(gateway: Gateway, request: RpcRequest): Promise<string> {
  const { registry, keys, remembered, throttle } = gateway
  const { text, headers, url, ip, trace } = request
  const door = doorOf(request)
  const known = remembered.find(text, door.prefix)
  const { body, registered, caller } = await countingFailures(gateway, request, async () => {
    const body = known ? undefined : door.parse(text, registry) //                 400, 404
    const registered = known ?? door.find(registry, body!) //                      400
    trace.action = registered.action.name
    const credential = extractCredential({ headers, url, body, action: registered.action })
    return { body, registered, caller: await identify(keys, credential, originOf(headers)) } //  401, 403
  })
  trace.caller = caller.kind
  const entering = throttle.enter(caller, ip, caller.kind === 'account' && caller.prepaid)
  const entry = entering instanceof Promise ? await entering : entering //         429
  trace.limit = entry.decision
  try {
    if (known) {
      trace.cache = 'hit'
      if (caller.kind === 'account') gateway.usage.count(caller.accountId, registered.action.name)
      trace.ignored = known.ignoredNames
      return known.text
    }
    return await read(gateway, request, { body: body!, caller, ...registered })
  } finally {
    entry.leave()
  }
}

interface ReadRequest extends RegisteredAction {
  body: Readonly<Record<string, unknown>>
  caller: Caller
}

/** What is asked for, and whether it may be; nothing has cost or changed anything before this is known. */
async function read(gateway: Gateway, request: RpcRequest, found: ReadRequest): Promise<string> {
  const { action, body, caller } = found
  const { headers, ip, trace } = request
  const door = doorOf(request)
  trace.ignored = door.ignored(found, body)
  // Any credential, whatever it was worth, has led elsewhere by now (contract 5, rule 8).
  const seller = caller.kind === 'anonymous' && gateway.seller?.prices.has(action.name) ? gateway.seller : undefined
  const purchase = seller && (await readPurchase(seller, action, request)) //          402
  const reading = door.read(gateway, found, body)
  const asked = reading instanceof Promise ? await reading : reading //            400
  authorize(action, caller) //                                                     401, 403
  const fingerprint = door.shape + fingerprintOf(body, action.input.properties)
  if (purchase) {
    // What is paid for is finished, also when the client has left: it comes back for the stored answer.
    const paid = { ...request, leaving: new Leaving() }
    const act = (payer: Caller) => run(gateway, paid, { ...found, caller: payer, asked, deed: undefined })
    return pay(purchase, request, { fingerprint, run: act }) //                    402, 503
  }
  const key = asked.once ? readIdempotencyKey(headers, body) : undefined //        400
  const act = (deed?: Deed) => run(gateway, request, { ...found, asked, deed })
  if (key === undefined) return act()
  // Those without an account are told apart by address, so that nobody reads a stranger's answer.
  const accountId = caller.kind === 'account' ? caller.accountId : `ip:${ip}`
  const onReplay = () => (trace.replayed = true)
  const seen = {
    accountId,
    action: action.name,
    key,
    fingerprint,
    onReplay,
  }
  return once({ ...gateway.store, secrets: gateway.secrets }, seen, act) //           409
}

/** The part of a request that may cost something. */
async function run(
  { store, names, remembered, nodeFor, tariffs, usage }: Gateway,
  request: RpcRequest,
  found: ReadRequest & { asked: Asked; deed: Deed | undefined },
): Promise<string> {
  const { action, room, parse, ignored, caller, asked, deed } = found
  const { requestId, text, ip, trace, leaving } = request
  const ctx: Ctx = {
    requestId,
    caller,
    payer: payerOf(caller, ip),
    ip,
    deed,
    leaving,
    node: nodeFor(trace, leaving),
    store,
    charged: (meter, metered) => charged({ store, caller, ip, tariffs }, meter, metered), //  403, 429
    counted: (meter, metered) => counted({ store, caller, ip, tariffs }, meter, metered), //  403, 429
  }
  const { revision } = names
  const result = await asked.run(ctx)
  if (caller.kind === 'account') usage.count(caller.accountId, action.name)
  const answer = JSON.stringify(result)
  // Only what repeats is worth remembering: the first time the node's answer is, the second time ours.
  // What somebody paid for is not given away to the next, nor what rests on more than the node told.
  const isRepeat = trace.cache === 'hit' && action.readOnly
  if (isRepeat && trace.fresh && caller.kind === 'anonymous' && caller.paidBy === undefined) {
    const { fresh, ignored: ignoredNames } = trace
    // An answer may have been made through a name, or carry one.
    const stillFresh = () => names.revision === revision && fresh()
    remembered.put(text, {
      prefix: doorOf(request).prefix,
      action,
      room,
      parse,
      ignored,
      ignoredNames,
      text: answer,
      fresh: stillFresh,
    })
  }
  return answer
}

/**
 * Whose share of what is scarce a request takes. Those who may spend for an account are the account; who pays by request
 * is the address that pays; everybody else is told apart by network address.
 */
function payerOf(caller: Caller, ip: string): string {
  if (caller.kind === 'anonymous' && caller.paidBy !== undefined) return `x402:${caller.paidBy}`
  const account = accountOf(caller)
  return account === undefined ? `ip:${ip}` : `acc:${account}`
}

/** What cannot be read and wrong credentials count against the address they came from: neither can be tried for nothing. */
async function countingFailures<T>(gateway: Gateway, request: RpcRequest, recognize: () => Promise<T>): Promise<T> {
  try {
    return await recognize()
  } catch (error) {
    await countUnread(gateway, request)
    throw error
  }
}

/** Counts a request of nobody in particular, and refuses it (429) when its address has sent too many. */
export async function countUnread(
  { throttle }: Pick<Gateway, 'throttle'>,
  { ip, trace }: Pick<RpcRequest, 'ip' | 'trace'>,
): Promise<void> {
  const entry = await throttle.enter({ kind: 'anonymous' }, ip, false)
  trace.limit = entry.decision
  entry.leave()
}

function originOf({ origin }: RequestHeaders): string | undefined {
  return typeof origin === 'string' ? origin : undefined
}
