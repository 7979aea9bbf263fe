import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type OwnerDoor, refuse } from './owner-door.ts'
import { type RpcOptions, RpcEndpoint } from './rpc.ts'
import { createServer } from './server.ts'

interface FrontServerOptions extends Omit<RpcOptions, 'handOver' | 'batchWidth' | 'running'> {
  requestTimeoutMilliseconds: number
  httpFast: boolean
  door: OwnerDoor
  onError(error: unknown, requestId: string): void
}

/** The server of a front: RPC as everywhere, and one way for everything else. */
export function createFrontServer({ door, ...options }: FrontServerOptions): FastifyInstance {
  const { isDraining, nextRequestId } = options
  const rpc = new RpcEndpoint({
    ...options,
    running: { count: 0 },
    // It answers none.
    batchWidth: 1,
    handOver: (...handed) => door.pass(...handed),
  })
  const server = createServer({
    ...options,
    rpc,
    elsewhere(request, response) {
      if (isDraining() && request.url === '/health/ready') {
        refuse(
          response,
          new AppError('overloaded', 'The service is shutting down.', { body: DRAINING }),
          nextRequestId(),
        )
      } else if (request.url === '/health/live') {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"status":"live"}')
      } else door.pass(request, response)
    },
  })
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    door.upgrade(request, socket, head),
  )
  return server
}

const DRAINING = { status: 'not ready', reason: 'draining' }
