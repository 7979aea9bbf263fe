import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeAnswer } from './answer.ts'
import { LedgerRefusal } from '../kernel/errors.ts'
import { refusal } from '../kernel/nano/node-refusal.ts'
import { LostAnswer } from './faults.ts'
import type { LedgerNode } from './node.ts'
import { NodeRequest } from '../kernel/nano/node-request.ts'
import { answerRequest } from './rpc/index.ts'

/** The node resets the connection of anybody who sends more. */
const BODY_BYTES_MAX = 32 * 1024 * 1024

const HEADERS = {
  Allow: 'POST, OPTIONS',
  'Content-Type': 'application/json',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Accept, Accept-Language, Content-Language, Content-Type',
  Connection: 'close',
}

export interface RpcServer {
  port: number
  close(): Promise<void>
}

/** The node's RPC over HTTP: every answer has status 200, errors too. */
export async function serveRpc(
  node: LedgerNode,
  { host, port, control }: { host: string; port: number; control: boolean },
): Promise<RpcServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      request.resume()
      send(response, request.method === 'OPTIONS' ? '' : writeAnswer({ error: 'Can only POST requests' }))
      return
    }
    readBody(request)
      .then((body) => answerBody(node, body, control))
      .then(
        (answer) => send(response, answer),
        () => request.socket.destroy(),
      )
  })
  await listen(server, host, port)
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

/** Answers a request body; whatever happens inside, the caller gets the node's words and the process lives. One that is lost by order is thrown. */
export async function answerBody(node: LedgerNode, body: string, control: boolean): Promise<string> {
  try {
    return writeAnswer(await answerRequest(node, NodeRequest.parse(body), control))
  } catch (error) {
    if (error instanceof LostAnswer) throw error
    const known = error instanceof LedgerRefusal
    return writeAnswer({ error: known ? error.message : refusal('Internal server error in RPC').message })
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
  response.writeHead(200, { ...HEADERS, 'Content-Length': Buffer.byteLength(body) })
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
