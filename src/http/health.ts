import type { FastifyInstance } from 'fastify'

interface HealthOptions {
  /** Why the gateway should get no traffic now; undefined when it should. */
  notReady(): string | undefined
}

/** Two checks: whether the process answers, and whether it should get traffic. */
export function mountHealth(server: FastifyInstance, { notReady }: HealthOptions): void {
  server.get('/health/live', (_request, reply) => reply.send({ status: 'live' }))
  server.get('/health/ready', (_request, reply) => {
    const reason = notReady()
    return reply
      .code(reason === undefined ? 200 : 503)
      .send(reason === undefined ? { status: 'ready' } : { status: 'not ready', reason })
  })
}
