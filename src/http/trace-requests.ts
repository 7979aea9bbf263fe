import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Step, Traces } from '../kernel/traces.ts'

/** Traces what the router answers. A route is told as it was declared: what stands in an address is the client's. */
export function traceRequests(
  server: FastifyInstance,
  {
    traces,
    ipOf,
    isTold,
  }: { traces: Traces; ipOf(request: IncomingMessage): string; isTold(request: FastifyRequest): boolean },
): void {
  const steps = new WeakMap<FastifyRequest, Step>()
  server.addHook('onRequest', (request, _reply, done) => {
    const { id: requestId, raw, headers } = request
    const name = isTold(request) ? nameOf(request) : undefined
    const step = name && traces.arrive({ name, requestId, traceparent: headers.traceparent, ip: ipOf(raw) })
    if (!step) return done()
    steps.set(request, step)
    step.within(done)
  })
  // What reads a body goes on from the connection, and the connection is no part of the trace.
  server.addHook('preValidation', (request, _reply, done) => {
    const step = steps.get(request)
    if (step) step.within(done)
    else done()
  })
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const step = steps.get(request)
    step?.note({
      'http.request.method': request.method,
      'http.route': request.routeOptions.url,
      'http.response.status_code': statusCode,
    })
    step?.end(statusCode >= 500 ? { type: String(statusCode), isOurs: true } : undefined)
    done()
  })
}

const nameOf = ({ method, routeOptions: { url } }: FastifyRequest) => `${method} ${url ?? '(no such path)'}`
