/*
 * A load generator: requests over HTTP/1.1 on many keep-alive connections, in a process whose time is not counted. It uses raw sockets, so that it is
 * faster than any server measured here. Started by `startAsker`.
 */
import { type Socket, connect } from 'node:net'
import { readFileSync } from 'node:fs'

export interface Asking {
  port: number
  /** A file with lines of method, path and body, written by `writeRequests`. */
  list: string
  headers?: Record<string, string>
  connections?: number
  count: number
  /** Index of the first line. Without it, lines are used in any order. */
  from?: number
  /** Whether to return the bodies of the responses. */
  keep?: boolean
}

export interface Asked {
  errors: number
  /** The first response with a status other than 200. */
  firstError?: string
  seconds: number
  bodies: string[]
}

const HEAD_END = Buffer.from('\r\n\r\n')

if (process.send !== undefined) {
  process.on('disconnect', () => process.exit())
  process.on('message', (asking: Asking) => {
    void ask(asking).then(
      (asked) => process.send!(asked),
      (error: unknown) => process.send!({ failed: String(error) }),
    )
  })
}

const lists = new Map<string, string[]>()

function readList(file: string): string[] {
  const known = lists.get(file) ?? readFileSync(file, 'utf8').split('\n')
  lists.set(file, known)
  return known
}

async function ask({ port, list, headers = {}, connections = 32, count, from, keep = false }: Asking): Promise<Asked> {
  const lines = readList(list)
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const requests = new Map<number, Buffer>()
  const toRequest = (at: number) => {
    const known = requests.get(at)
    if (known) return known
    const [method, path, body = ''] = lines[at]!.split('\t')
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${more.join('')}`
    const made = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    requests.set(at, made)
    return made
  }
  let sent = 0
  const next = () => {
    if (sent === count) return undefined
    const at = from === undefined ? Math.floor(Math.random() * lines.length) : (from + sent) % lines.length
    sent++
    return toRequest(at)
  }
  const asked: Asked = { errors: 0, seconds: 0, bodies: [] }
  const started = performance.now()
  const take = (status: string, body: string) => {
    if (status !== '200') {
      asked.errors++
      asked.firstError ??= `${status} ${body}`
    }
    if (keep) asked.bodies.push(body)
  }
  await Promise.all(Array.from({ length: connections }, () => converse(port, next, take)))
  asked.seconds = (performance.now() - started) / 1_000
  return asked
}

/** One client: it sends a request, waits for the response and repeats until no requests are left. It reconnects when the server closes the connection. */
function converse(
  port: number,
  next: () => Buffer | undefined,
  take: (status: string, body: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let request = next()
    const open = () => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let rest: Buffer = Buffer.alloc(0)
      socket.on('connect', () => socket.write(request!))
      socket.on('error', reject)
      socket.on('close', () => (request === undefined ? resolve() : open()))
      socket.on('data', (part: Buffer) => {
        rest = rest.length === 0 ? part : Buffer.concat([rest, part])
        const end = rest.indexOf(HEAD_END)
        if (end < 0) return
        const head = rest.toString('latin1', 0, end)
        const length = /content-length: (\d+)/i.exec(head)?.[1]
        if (length === undefined) {
          reject(new Error(`An answer without a length: ${head}`))
          return
        }
        const whole = end + HEAD_END.length + Number(length)
        if (rest.length < whole) return
        take(head.slice(9, 12), rest.toString('utf8', end + HEAD_END.length, whole))
        rest = rest.subarray(whole)
        request = next()
        if (request === undefined || /connection: close/i.test(head)) socket.end()
        else socket.write(request)
      })
    }
    if (request === undefined) resolve()
    else open()
  })
}
