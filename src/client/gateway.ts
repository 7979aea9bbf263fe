import type { ActionFacts } from './action-facts.ts'
import { type CallOptions, type Connection, callAction } from './call.ts'
import type { Answers } from './generated/answers.ts'
import { FACTS } from './generated/facts.ts'
import type { Requests } from './generated/requests.ts'
import type { Fetch } from './ledger-rpc.ts'

export interface GatewayOptions {
  /** Where the gateway is, for instance `https://rpc.example`. */
  url: string
  /** A secret key, or a public one in a browser. */
  key?: string | undefined
  /** In place of the runtime's own. */
  fetch?: Fetch | undefined
  /** How long one call may take; 30 seconds unless given. */
  timeoutMs?: number | undefined
}

export type ActionName = keyof Requests & keyof Answers

export type Request<Name extends ActionName> = Requests[Name]
export type Answer<Name extends ActionName> = Answers[Name]

/** Fields may be left out where none is needed. */
type Arguments<Name extends ActionName> =
  Record<string, never> extends Requests[Name]
    ? [fields?: Requests[Name], options?: CallOptions]
    : Partial<Requests[Name]> extends Requests[Name]
      ? [fields?: Requests[Name], options?: CallOptions]
      : [fields: Requests[Name], options?: CallOptions]

export type Call<Name extends ActionName> = (...args: Arguments<Name>) => Promise<Answers[Name]>

type CamelCase<Text extends string> = Text extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text

/** Every action by its name, and in camelCase. */
export type Actions = { [Name in ActionName]: Call<Name> } & {
  [Name in ActionName as CamelCase<Name>]: Call<Name>
}

export type Gateway = Actions & {
  readonly url: string
}

const TIMEOUT_MILLISECONDS = 30_000

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** A gateway, ready to be asked. Nothing is sent before the first call. */
export function createGateway(options: GatewayOptions): Gateway {
  const connection = connect(options)
  return Object.assign(actionsOf(connection), { url: connection.url })
}

function connect({ url, key, fetch, timeoutMs = TIMEOUT_MILLISECONDS }: GatewayOptions): Connection {
  if (!/^https?:\/\//.test(url)) throw new TypeError('The url of a gateway begins with https:// or http://.')
  return {
    url: url.replace(/\/+$/, ''),
    key: key === '' ? undefined : key,
    // Asked for at each call, because browsers take it from nobody but themselves.
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
  // The table and the types are made of the same list.
  return calls as Actions
}
