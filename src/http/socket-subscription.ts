import { badField } from '../kernel/errors.ts'
import { readFlag } from '../kernel/fields.ts'
import { type ConfirmationOptions, type SaidOptions, optionsIn, toFlag } from '../kernel/nano/confirmation-options.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import { exceedsDepth, findMember, parseRequest } from '../kernel/nano/request-tree.ts'
import type { Confirmation, Names } from '../kernel/ports.ts'
import { textOf } from '../kernel/shape.ts'
import { requireAccounts } from '../modules/ledger/index.ts'

/** The protocol of a client: the service's own, or exactly that of a node. */
export type SocketForm = 'service' | 'node'

/** The confirmations that one client wants. */
export interface Subscription extends ConfirmationOptions {
  /** Only a subscription with options can be updated. */
  isChangeable: boolean
}

/** A message of a client. */
export interface SocketMessage {
  action: string
  topic: string
  ack: boolean
  /** Undefined if the acknowledgement has no id. */
  id: unknown
  /** Refuses invalid options if the protocol has an error for them; undefined if there are no options. */
  readOptions(names: Names): SaidOptions | undefined | Promise<SaidOptions>
}

type Fields = Readonly<Record<string, unknown>>

const LISTS = ['accounts', 'accounts_add', 'accounts_del']
/** More accounts than fit into one frame. */
const ENTRIES_MAX = 10_000

/** Reads a frame in its protocol; undefined if it is not a message. */
export function readFrame(text: string, form: SocketForm): SocketMessage | undefined {
  try {
    return form === 'node' ? readAsNode(text) : readAsService(text)
  } catch {
    // Not JSON; the caller answers as its protocol requires.
    return undefined
  }
}

/** A node accepts any JSON as a message, and ignores what has no members. */
function readAsNode(text: string): SocketMessage | undefined {
  if (exceedsDepth(text)) return undefined
  const message = parseRequest(text)
  const field = (name: string) => findMember(message, name)?.text ?? ''
  const options = findMember(message, 'options')
  return {
    action: field('action'),
    topic: field('topic'),
    ack: toFlag(field('ack')) === true,
    id: field('id') || undefined,
    readOptions: () => options && optionsIn(options),
  }
}

function readAsService(text: string): SocketMessage | undefined {
  const message = JSON.parse(text) as Fields | null
  if (typeof message !== 'object' || message === null) return undefined
  const { action, topic, ack, id, options } = message
  return {
    action: textOf(action),
    topic: textOf(topic),
    ack: readFlag(ack) === true,
    // Like a node, ignores a list or an object as the id of a message.
    id: typeof id === 'object' || id === '' ? undefined : id,
    readOptions: (names) => (options === undefined || options === null ? undefined : readOptions(options, names)),
  }
}

async function readOptions(given: unknown, names: Names): Promise<SaidOptions> {
  const options = toOptions(given)
  const lists = new Map<string, readonly string[]>()
  for (const name of LISTS) {
    const list = options[name] ?? undefined
    if (list === undefined) continue
    if (!Array.isArray(list)) throw badField(name, `${name} must be a list of accounts.`)
    if (list.length > ENTRIES_MAX) throw badField(name, `${name} takes at most ${ENTRIES_MAX} accounts.`)
    const entries = list.map((entry: unknown) => (typeof entry === 'string' ? entry : ''))
    lists.set(name, await requireAccounts(names, entries, name))
  }
  return {
    flag: (name) => readFlag(options[name]),
    text: (name) => textOf(options[name]),
    accounts: (name) => lists.get(name),
  }
}

/** Some clients send their options as JSON inside a string. */
function toOptions(given: unknown): Fields {
  const isText = typeof given === 'string'
  const options: unknown = isText && given !== '' ? parse(given) : given
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options as Fields
  throw badField('options', 'options must be an object.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller refuses the string.
    return text
  }
}

/** The frames for one confirmation, each built once for all clients. */
export class Frames {
  readonly #confirmation: Confirmation
  readonly #written = new Map<string, string>()

  constructor(confirmation: Confirmation) {
    this.#confirmation = confirmation
  }

  /** Undefined if the subscription does not include this confirmation. */
  for(subscription: Subscription, form: SocketForm): string | undefined {
    const { includeBlock, includeElection, includeSideband, types, accounts } = subscription
    if (!types.includes(this.#confirmation.type)) return undefined
    // A node looks for accounts inside the block, so a filter without blocks matches nothing.
    if (form === 'node' && accounts && !includeBlock) return undefined
    const key = `${form}${includeBlock}${includeElection}${includeSideband}`
    let frame = this.#written.get(key)
    if (frame === undefined) this.#written.set(key, (frame = write(this.#confirmation, subscription, form)))
    return frame
  }
}

function write(confirmation: Confirmation, wanted: Subscription, form: SocketForm): string {
  const { account, amount, hash, type, block, time, election, sideband } = confirmation
  const message = {
    account,
    amount,
    hash,
    confirmation_type: type,
    ...(wanted.includeElection && election && { election_info: election }),
    ...(wanted.includeBlock && { block }),
    ...(wanted.includeSideband && sideband && { sideband }),
  }
  const frame = { topic: 'confirmation', time, message }
  return form === 'node' ? writeNodeAnswer(frame) : JSON.stringify(frame)
}

/**
 * Most watched accounts of one subscription, of one network address and of all clients. Each costs memory, and reads
 * after a gap.
 */
const OF_SUBSCRIPTION_MAX = 10_000
const OF_ADDRESS_MAX = 20_000
const OF_ALL_MAX = 200_000

interface Share {
  sockets: number
  accounts: number
}

/**
 * Limits how much of the shared resources each websocket client uses. In addition to fixed limits, no client may take
 * more than half of what the others have left, so there is always something left for the next one.
 */
export class SocketShares {
  readonly #byAddress = new Map<string, Share>()
  readonly #socketsMax: number
  #watched = 0

  /** @param socketsMax per address; 0 means no limit. */
  constructor(socketsMax: number) {
    this.#socketsMax = socketsMax
  }

  mayEnter(address: string): boolean {
    return this.#socketsMax === 0 || (this.#byAddress.get(address)?.sockets ?? 0) < this.#socketsMax
  }

  enter(address: string): void {
    this.#shareOf(address).sockets++
  }

  leave(address: string): void {
    const share = this.#shareOf(address)
    if (--share.sockets === 0) this.#byAddress.delete(address)
  }

  /** Why a subscription cannot change from `has` to `wants` accounts; undefined when it can. */
  refuse(address: string, { has, wants }: { has: number; wants: number }): string | undefined {
    if (wants <= has) return undefined
    if (wants > OF_SUBSCRIPTION_MAX) return `A subscription takes at most ${OF_SUBSCRIPTION_MAX} accounts.`
    const { accounts } = this.#shareOf(address)
    const then = accounts - has + wants
    if (then > OF_ADDRESS_MAX) return `One address watches at most ${OF_ADDRESS_MAX} accounts.`
    const freeWithoutIt = OF_ALL_MAX - this.#watched + accounts
    return then > freeWithoutIt / 2 ? 'No more accounts can be watched here.' : undefined
  }

  count(address: string, change: 1 | -1): void {
    this.#watched += change
    this.#shareOf(address).accounts += change
  }

  #shareOf(address: string): Share {
    let share = this.#byAddress.get(address)
    if (!share) this.#byAddress.set(address, (share = { sockets: 0, accounts: 0 }))
    return share
  }
}
