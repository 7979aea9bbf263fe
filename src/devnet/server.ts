import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LedgerRefusal } from '../kernel/errors.ts'
import { NodeRequest, refusal } from '../kernel/nano/node-request.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import { LostAnswer } from './faults.ts'
import type { LedgerNode } from './node.ts'
import { answerRequest } from './rpc/index.ts'

/** The node resets the connection of a client that sends more. */
const BODY_BYTES_MAX = 32 * 1024 * 1024

const HEADERS = Object.entries({
  Allow: 'POST, OPTIONS',
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Accept, Accept-Language, Content-Language, Content-Type',
  Connection: 'close',
}).flat()

/** A call that was answered, or whose answer was dropped by an ordered fault. */
export interface AnsweredCall {
  /** As the client sent it, so it may have any contents. */
  action: string
  /** The account or block in the call, as the client sent it. */
  about: string | undefined
  /** The error that was answered. */
  refused?: string
  lost?: true
  milliseconds: number
}

interface Answering {
  control: boolean
  onCall?: ((call: AnsweredCall) => void) | undefined
}

export interface RpcServer {
  port: number
  close(): Promise<void>
}

/** The node's RPC over HTTP: every answer has status 200, errors too. */
export async function serveRpc(
  node: LedgerNode,
  { host, port, control, onCall }: { host: string; port: number } & Answering,
): Promise<RpcServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      request.resume()
      send(response, request.method === 'OPTIONS' ? '' : writeNodeAnswer({ error: 'Can only POST requests' }))
      return
    }
    readBody(request)
      .then((body) => answerBody(node, body, control, onCall))
      .then(
        (answer) => send(response, answer),
        () => request.socket.destroy(),
      )
  })
  await listen(server, host, port)
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/**
 * Answers a request body. An exception becomes an error of the node and does not end the process; only an ordered loss
 * of the answer is thrown.
 */
export async function answerBody(
  node: LedgerNode,
  body: string,
  control: boolean,
  onCall?: Answering['onCall'],
): Promise<string> {
  const began = performance.now()
  let request: NodeRequest | undefined
  const report = (outcome: Pick<AnsweredCall, 'refused' | 'lost'>) => {
    if (!onCall) return
    const [action = '', about] = [request?.find('action'), request?.find('account') ?? request?.find('hash')]
    onCall({ action, about, ...outcome, milliseconds: performance.now() - began })
  }
  try {
    request = NodeRequest.parse(body)
    const answer = await answerRequest(node, request, control)
    // Wait for the disk before answering: a power cut must not undo what a client was shown.
    if (node.durable) await node.durable
    report({})
    return writeNodeAnswer(answer)
  } catch (error) {
    if (error instanceof LostAnswer) {
      report({ lost: true })
      throw error
    }
    const { message } = error instanceof LedgerRefusal ? error : refusal('Internal server error in RPC')
    report({ refused: message })
    return writeNodeAnswer({ error: message })
  }
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_BYTES_MAX) reject(new Error('Body too large'))
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', reject)
  })
}

function send(response: ServerResponse, body: string): void {
  // The node sends no Date header, so neither does this server.
  response.sendDate = false
  response.writeHead(200, [...HEADERS, 'Content-Length', Buffer.byteLength(body)])
  response.end(body)
}

export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
