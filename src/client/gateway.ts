import { isHex } from '../kernel/nano/hex.ts'
import { workValue } from '../kernel/nano/work.ts'
import { type AccountChain, type FindWork, openChain } from './account-chain.ts'
import { AccountSigner } from './account-signer.ts'
import type { ActionFacts } from './action-facts.ts'
import { type Budget, toBudget } from './budget.ts'
import { type CallOptions, type Connection, callAction } from './call.ts'
import { type Checkouts, checkoutsOf } from './checkouts.ts'
import type { SocketClass } from './confirmation-socket.ts'
import { type Confirmation, type ConfirmationOptions, confirmationsOf } from './confirmations.ts'
import { GatewayError } from './gateway-error.ts'
import type { Answers } from './generated/answers.ts'
import { FACTS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'
import type { Fetch, LedgerRpc } from './ledger-rpc.ts'
import { Payer } from './payer.ts'
import { type Resources, resourcesOf } from './resources.ts'
import { searchWork } from './search-work.ts'
import { type Wallet, type WalletKey, type WalletSettings, openWallet, toPrivateKey } from './wallet.ts'

export interface PayOptions {
  /** Key of the account that pays. */
  key: WalletKey
  /** The most that may be spent, in raw, or a budget shared with others. */
  budget: Budget | bigint
  /** Pays only on this network, for instance `nano:mainnet`; by default that of the gateway. */
  network?: string | undefined
}

export interface GatewayOptions {
  /** URL of the gateway, for instance `https://rpc.example`. */
  url: string
  /** A secret key, or a public one in a browser. */
  key?: string | undefined
  /** Replaces the runtime's `fetch`. */
  fetch?: Fetch | undefined
  /** Longest time of one call: by default 30 seconds, or five minutes if the call may have to be paid for. */
  timeoutMs?: number | undefined
  /** Pays for calls that cost something, within a budget (x402). */
  pay?: PayOptions | undefined
  /** Replaces the runtime's WebSocket; Node 20 has none. */
  WebSocket?: SocketClass | undefined
}

export type ActionName = keyof Requests & keyof Answers

export type Request<Name extends ActionName> = Requests[Name]
export type Answer<Name extends ActionName> = Answers[Name]

/** Fields may be omitted where none is required. */
type Arguments<Name extends ActionName> =
  Record<string, never> extends Requests[Name]
    ? [fields?: Requests[Name], options?: CallOptions]
    : Partial<Requests[Name]> extends Requests[Name]
      ? [fields?: Requests[Name], options?: CallOptions]
      : [fields: Requests[Name], options?: CallOptions]

type Call<Name extends ActionName> = (...args: Arguments<Name>) => Promise<Answers[Name]>

type CamelCase<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text

/** Every action by its name, and in camelCase. */
export type Actions = { [Name in ActionName]: Call<Name> } & {
  [Name in ActionName as CamelCase<Name>]: Call<Name>
}

interface Surfaces extends Resources {
  readonly url: string
  readonly checkouts: Checkouts
  /** The budget for calls, with what was spent. */
  readonly budget: Budget | undefined
  /** Blocks as they are confirmed. */
  confirmations(options?: ConfirmationOptions): AsyncGenerator<Confirmation, void, undefined>
  /** An account whose key never leaves this program. */
  wallet(key: WalletKey, settings?: WalletSettings): Wallet
  /** Requests any URL. If the answer has a price and `pay` was given, pays it. */
  fetch(input: string | URL | globalThis.Request, init?: RequestInit): Promise<Response>
}

export type Gateway = Actions & Surfaces

const TIMEOUT_MILLISECONDS = 30_000
/** Finding work for a payment, and its confirmation, take time. */
const TIMEOUT_PAYING_MILLISECONDS = 300_000

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Opens a gateway. Nothing is sent before the first call. */
export function createGateway(options: GatewayOptions): Gateway {
  const plain = connect(options)
  const signers = new Signers()
  const payer = options.pay && openPayer(plain, signers, options.pay)
  const connection: Connection = payer
    ? {
        ...plain,
        timeoutMs: options.timeoutMs ?? TIMEOUT_PAYING_MILLISECONDS,
        fetch: (input, init) => payer.fetch(input, init),
        wasPaid: (response) => payer.wasPaid(response),
      }
    : plain
  const { WebSocket: Socket = (globalThis as { WebSocket?: SocketClass }).WebSocket } = options
  const surfaces: Surfaces = {
    url: plain.url,
    checkouts: checkoutsOf(connection),
    ...resourcesOf(connection),
    budget: payer?.budget,
    confirmations: (wanted) => confirmationsOf(connection, Socket, wanted),
    wallet(key, settings) {
      const privateKey = toPrivateKey(key)
      return openWallet(
        signers.for(privateKey, () => chainOf(connection, privateKey)),
        settings,
      )
    },
    fetch: (input, init) => (payer ? payer.fetch(input, init) : plain.fetch(input as string, init)),
  }
  return Object.assign(actionsOf(connection), surfaces)
}

const chainOf = (connection: Connection, privateKey: string): AccountChain =>
  openChain({ privateKey, rpc: rpcOf(connection), findWork: workOf(connection) })

/**
 * The paying account cannot buy work for its own payments: each purchase would need another payment. It uses free work,
 * or searches on this machine.
 */
function openPayer(plain: Connection, signers: Signers, { key, budget, network }: PayOptions): Payer {
  const privateKey = toPrivateKey(key)
  const signer = signers.for(privateKey, () => chainOf(plain, privateKey))
  return new Payer(signer, toBudget(budget)!, { network, fetch: plain.fetch })
}

/** One signer for each account: two signers could build two blocks on the same one. */
class Signers {
  readonly #byKey = new Map<string, AccountSigner>()

  for(privateKey: string, open: () => AccountChain): AccountSigner {
    const known = this.#byKey.get(privateKey.toUpperCase())
    if (known) return known
    const opened = new AccountSigner(open())
    this.#byKey.set(privateKey.toUpperCase(), opened)
    return opened
  }
}

function connect({ url, key, fetch, timeoutMs = TIMEOUT_MILLISECONDS }: GatewayOptions): Connection {
  if (!/^https?:\/\//.test(url)) throw new TypeError('The url of a gateway begins with https:// or http://.')
  return {
    url: url.replace(/\/+$/, ''),
    key: key === '' ? undefined : key,
    // Looked up at each call, because browsers require `fetch` to be called as a method of the global object.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs,
    wasPaid: () => false,
  }
}

function actionsOf(connection: Connection): Actions {
  const calls: Record<string, unknown> = {}
  for (const [name, facts] of Object.entries(FACTS) as [string, ActionFacts][]) {
    calls[name] = (fields?: object, options?: CallOptions) => callAction(connection, name, facts, fields, options)
    calls[camelCase(name)] = calls[name]
  }
  // The cast is safe because the table and the types are generated from the same list.
  return calls as Actions
}

/** Reads the ledger through the gateway, in the format of the API. */
function rpcOf(connection: Connection): LedgerRpc {
  return async (action, fields, idempotencyKey) => {
    const { safe } = (FACTS as Record<string, ActionFacts>)[action] ?? {}
    // A publication is not repeated automatically: `publish` asks the ledger first, and sends its own Idempotency-Key.
    const facts = { ...(safe && { safe }) }
    try {
      return (await callAction(connection, action, facts, fields, { idempotencyKey })) as Record<string, unknown>
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'ledger_refused') return error.body as Record<string, unknown>
      throw error
    }
  }
}

/**
 * Statuses after which this machine searches itself: the work costs something, today's share is used up, or no source
 * is free.
 */
const ELSEWHERE = new Set([0, 401, 402, 403, 429, 502, 503, 504])

/** Gets work from the gateway; searches on this machine if the gateway gives none. */
function workOf(connection: Connection): FindWork {
  return async (root, threshold) => {
    const difficulty = threshold.toString(16).padStart(16, '0')
    try {
      const { work } = (await callAction(connection, 'work_generate', {}, { hash: root, difficulty })) as {
        work: string
      }
      if (isHex(work, 16) && workValue(root, work) >= threshold) return work
      return await searchWork(root, threshold)
    } catch (error) {
      const isElsewhere = error instanceof GatewayError && ELSEWHERE.has(error.status)
      // If work was paid for, or the budget does not allow it, the caller gets the error instead of a slow search here.
      if (!isElsewhere || error.paid || error.code === 'budget_exceeded') throw error
      return searchWork(root, threshold)
    }
  }
}
