import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

type State =
  | { kind: 'open' }
  /** Connections stay open, and nothing gets through, like a pulled cable. */
  | { kind: 'hanging' }
  /** Connections are closed, and new ones are closed at once. */
  | { kind: 'cut' }
  | { kind: 'slow'; milliseconds: number }

/** Node cannot reset a socket that is just closing (`reset EINVAL`): it keeps the socket forever, and the process never exits. */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** A connection between two components that can be cut, slowed down, or blocked. Bytes are never reordered or lost. */
export class TcpRelay {
  /** The target, which may return on another port. */
  targetPort: number
  readonly #targetHost: string
  readonly #server: Server = createServer((client) => this.#relay(client))
  readonly #sockets = new Set<Socket>()
  #state: State = { kind: 'open' }
  #changed: () => void = () => undefined
  #change = new Promise<void>((resolve) => (this.#changed = resolve))

  private constructor(targetPort: number, targetHost: string) {
    this.targetPort = targetPort
    this.#targetHost = targetHost
  }

  static async start(targetPort: number, targetHost = LOOPBACK): Promise<TcpRelay> {
    const relay = new TcpRelay(targetPort, targetHost)
    relay.#server.listen(0, LOOPBACK)
    await once(relay.#server, 'listening')
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  open(): void {
    this.#become({ kind: 'open' })
  }

  hang(): void {
    this.#become({ kind: 'hanging' })
  }

  slow(milliseconds: number): void {
    this.#become({ kind: 'slow', milliseconds })
  }

  cut(): void {
    this.#become({ kind: 'cut' })
    for (const socket of this.#sockets) reset(socket)
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #become(state: State): void {
    this.#state = state
    this.#changed()
    this.#change = new Promise((resolve) => (this.#changed = resolve))
  }

  #relay(client: Socket): void {
    if (this.#state.kind === 'cut') {
      reset(client)
      return
    }
    const target = connect(this.targetPort, this.#targetHost)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.on('close', (hadError) => {
        this.#sockets.delete(from)
        // After an orderly end, pending bytes arrive first.
        if (hadError) to.destroy()
      })
      void this.#pass(from, to)
    }
  }

  async #pass(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        await this.#wait()
        if (to.destroyed) return
        if (!to.write(chunk as Buffer)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      }
      await this.#wait()
      to.end()
    } catch {
      to.destroy()
    }
  }

  /** Until the relay lets something through again. */
  async #wait(): Promise<void> {
    if (this.#state.kind === 'slow') {
      const { milliseconds } = this.#state
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
    }
    while (this.#state.kind === 'hanging') await this.#change
  }
}
