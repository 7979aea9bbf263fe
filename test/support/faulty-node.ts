import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { TestContext } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { answerBody, closeServer, listen } from '../../src/devnet/server.ts'
import { freePort } from './free-port.ts'

/** Faults of a node. */
export type Fault =
  | 'none'
  /** Its port is closed. */
  | 'dead'
  /** Correct but late answers, made when the request arrived. */
  | 'slow'
  /** The ledger executes the request, and no answer is sent. */
  | 'mute'
  /** An answer that arrives byte by byte and never ends. */
  | 'trickle'
  /** Answers from an older copy of the ledger, with 1,000 fewer blocks. */
  | 'lagging'
  /** Answers from an older copy of the ledger, with a constant block count. */
  | 'stuck'
  /** Sends the head and half the body of its answer, then closes the connection. */
  | 'cut'
  /** The ledger executes the request, and the connection closes before the answer. */
  | 'reply lost'
  /** The connection closes before the ledger gets the request. */
  | 'request lost'
  | 'html'
  | 'status 500'
  | 'status 429'
  | 'garbage'
  /** JSON that is neither an answer nor an error. */
  | 'nonsense'
  | 'rate limit'

/** Changes a correct answer; `body` is the request. */
type Lie = (answer: Record<string, string>, body: string) => object

export interface FaultyNodeOptions {
  ledger: Devnet
  /** The ledger from which a lagging node answers. */
  older?: Devnet
  slowMilliseconds?: number
  /** Keeps connections open after an answer, as a proxy does; a node itself closes them. */
  keepAlive?: boolean
}

/** Added to every node's block count: a young ledger has too few blocks for a node to lag behind. */
const BLOCKS_BEFORE = 1_000_000
const LAG_BLOCKS = 1_000

/** A node's RPC in front of a real ledger, with faults on request; counts its requests. */
export class FaultyNode {
  readonly #options: Required<FaultyNodeOptions>
  readonly #server: Server
  readonly #asked = new Map<string, string[]>()
  /** Requests whose client disconnected before the answer. */
  abandoned = 0
  /** Requests without an answer so far. */
  open = 0
  readonly #held = new Map<string, Promise<void>>()
  readonly #lies = new Map<string, Lie>()
  #port = 0
  #fault: Fault = 'none'
  #actions: readonly string[] | undefined
  #stuckAt = 0

  private constructor(options: FaultyNodeOptions) {
    this.#options = { older: options.ledger, slowMilliseconds: 10_000, keepAlive: false, ...options }
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async start(t: TestContext, options: FaultyNodeOptions, fault: Fault = 'none'): Promise<FaultyNode> {
    const node = new FaultyNode(options)
    // Not any port: while this node is dead, nobody else is to answer there, nor to be in its way when it comes back.
    node.#port = await freePort()
    await listen(node.#server, '127.0.0.1', node.#port)
    t.after(() => closeServer(node.#server))
    await node.behave(fault)
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Sets the fault from now on; with `actions`, only for these. A dead node returns on the same port. */
  async behave(fault: Fault, { actions }: { actions?: readonly string[] } = {}): Promise<void> {
    this.#fault = fault
    this.#actions = actions
    this.#stuckAt = this.#options.ledger.node.ledger.store.totals().blocks
    if (fault === 'dead') await closeServer(this.#server)
    else if (!this.#server.listening) await listen(this.#server, '127.0.0.1', this.#port)
  }

  /** Answers from another ledger from now on, as if another process listened at its address. */
  become(ledger: Devnet): void {
    this.#options.ledger = ledger
    this.#options.older = ledger
  }

  /** Changes its answers to an action from now on. */
  lie(action: string, lie: Lie): void {
    this.#lies.set(action, lie)
  }

  beHonest(): void {
    this.#lies.clear()
  }

  /** Delays the answers to an action, which are made at once, until the returned function is called. */
  hold(action: string): () => void {
    const gate = Promise.withResolvers<void>()
    this.#held.set(action, gate.promise)
    return () => {
      this.#held.delete(action)
      gate.resolve()
    }
  }

  /** Requests for an action since the last `forgetHits`, without refused connections. */
  hits(action: string): number {
    return this.bodies(action).length
  }

  /** The bodies of its requests, verbatim. */
  bodies(action: string): readonly string[] {
    return this.#asked.get(action) ?? []
  }

  forgetHits(): void {
    this.#asked.clear()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++
    response.on('close', () => this.open--)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { action } = JSON.parse(body) as { action: string }
    this.#asked.set(action, [...this.bodies(action), body])
    response.on('close', () => {
      if (!response.writableFinished) this.abandoned++
    })
    const fault = this.#actions && !this.#actions.includes(action) ? 'none' : this.#fault
    if (fault === 'request lost') {
      request.socket.destroy()
      return
    }
    if (!this.#options.keepAlive) response.setHeader('Connection', 'close')
    const text = BROKEN[fault] ?? (await this.#answer(fault, action, body))
    await this.#held.get(action)
    switch (fault) {
      case 'mute':
        return
      case 'reply lost':
        request.socket.destroy()
        return
      case 'slow': {
        const timer = setTimeout(() => send(response, 200, text), this.#options.slowMilliseconds)
        response.on('close', () => clearTimeout(timer))
        return
      }
      case 'trickle': {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 10)
        response.on('close', () => clearInterval(timer))
        return
      }
      case 'cut':
        response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) })
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
        return
      default:
        send(response, STATUS[fault] ?? 200, text)
    }
  }

  async #answer(fault: Fault, action: string, body: string): Promise<string> {
    const { ledger, older } = this.#options
    const text = await answerBody(fault === 'lagging' || fault === 'stuck' ? older.node : ledger.node, body, true)
    const lie = this.#lies.get(action) ?? ((answer) => answer)
    const answer = JSON.parse(text) as Record<string, string>
    if (action !== 'block_count') return this.#lies.has(action) ? JSON.stringify(lie(answer, body)) : text
    const blocks = fault === 'stuck' ? this.#stuckAt : Number(answer.count)
    const count = String(BLOCKS_BEFORE + blocks - (fault === 'lagging' ? LAG_BLOCKS : 0))
    return JSON.stringify(lie({ ...answer, count, cemented: count }, body))
  }
}

const BROKEN: { [F in Fault]?: string } = {
  html: '<!doctype html><title>Welcome to nginx!</title>',
  'status 500': '<h1>500 Internal Server Error</h1>',
  'status 429': '{"error": "Account not found"}',
  garbage: '{"balance": "1", "pending": ',
  nonsense: '{"message": "Have you tried our premium plan?"}',
  'rate limit': '{"error": "API rate limit exceeded"}',
}

const STATUS: { [F in Fault]?: number } = { 'status 500': 500, 'status 429': 429 }

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
