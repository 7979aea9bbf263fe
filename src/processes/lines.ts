import type { Socket } from 'node:net'
import type { EmbeddedAddresses } from '../infra/node/upstreams.ts'
import type { CountedRequests } from '../infra/request-counts.ts'
import type { LedgerIdentity } from '../kernel/nano/network.ts'
import type { KnownName } from '../kernel/ports.ts'

/** Larger than any notice or batch of counts; a longer line was not written by us. */
const LINE_BYTES_MAX = 4 * 1024 * 1024

/** Counters that are reported as one sum over all processes. */
export const SHARED_COUNTERS = [
  'upstreamFailures',
  'upstreamStates',
  'nodeDisagreements',
  'backgroundFailures',
] as const
export type SharedCounter = (typeof SHARED_COUNTERS)[number]

/** Messages of a front to the owner. The first one must be `hello`. */
export type FrontLine =
  | { hello: string; topics: string[] }
  | { id: number; lease: [key: string, interval: number, wanted: number, returned: number] }
  | { id: number; ping: true }
  | { received: number }
  | { notice: [topic: string, payload: string] }
  | { counts: CountedRequests }
  | { counters: [name: SharedCounter, labels: Record<string, string | number>, count: number][] }
  | { prepare: [address: string, root: string] }

/** Messages of the owner to a front. */
export type OwnerLine =
  | { welcome: true }
  | { id: number; answer: [number, number] }
  | { id: number; notice: [topic: string, payload: string] }

export const sendLine = (socket: Socket, line: FrontLine | OwnerLine) => socket.write(`${JSON.stringify(line)}\n`)

/** Reads JSON, line by line. An invalid line, or one that is too long, ends the connection. */
export function readLines(socket: Socket, take: (line: unknown) => void): void {
  socket.setEncoding('utf8')
  let rest = ''
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    try {
      if (rest.length > LINE_BYTES_MAX) throw new Error('A line without end.')
      for (const line of lines) if (!socket.destroyed) take(JSON.parse(line))
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
}

/** How the processes of one gateway find each other. */
export interface Place {
  /** Known to these processes only. */
  secret: string
  /** The sockets on which the owner answers requests, and on which it is linked with its fronts. */
  ownerSocket: string
  linkSocket: string
  /** The port that all fronts share. */
  port: number
  fronts: number
}

/** Facts that the owner knows once it has started, and that fronts need to answer as it does. */
export interface FrontFacts {
  ledger: LedgerIdentity
  devnet: EmbeddedAddresses | undefined
  play: KnownName[]
  /** Actions that are paid for by request. */
  sold: string[]
}

/** Messages of the first process to those that it has started, over a channel that no other process can read. */
export type Order = { begin: Place; facts?: FrontFacts } | { announce: number } | 'goodbye' | 'stop'
/** Their answers. */
export type Begun = { begun: FrontFacts | true }
