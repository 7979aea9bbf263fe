import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseBody } from '../guard/json-body.ts'
import { refuseNul } from '../kernel/refuse-nul.ts'
import type { Fields } from '../kernel/route.ts'

/** Bodies are JSON whatever their type says, as at the RPC endpoint. */
export function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text))
}

export function bodyOf({ body }: FastifyRequest, needed?: 'needed'): Record<string, unknown> {
  const text = typeof body === 'string' ? body : ''
  return text === '' && needed === undefined ? {} : parseBody(text)
}

/** The body, where it can be read: who cannot say who they are learns nothing of what is wrong with it. */
export function findBody(request: FastifyRequest): Record<string, unknown> | undefined {
  try {
    return bodyOf(request)
  } catch {
    // Read again, and refused, once the caller is known.
    return undefined
  }
}

/** Whether a page's form sent this. Programs say so too (`curl -d`) and send JSON, which begins like an object. */
export function isForm({ headers, body }: FastifyRequest): boolean {
  const type = headers['content-type'] ?? ''
  return /^application\/x-www-form-urlencoded\b/i.test(type) && !(typeof body === 'string' && /^\s*\{/.test(body))
}

/** The fields of a request, whether a form or a program sent them. The first of several values counts. */
export function readForm(request: FastifyRequest): Fields {
  if (!isForm(request)) return bodyOf(request)
  const fields = new Map<string, string>()
  const text = typeof request.body === 'string' ? request.body : ''
  for (const [name, value] of new URLSearchParams(text)) if (!fields.has(name)) fields.set(name, value)
  return refuseNul(Object.fromEntries(fields))
}
