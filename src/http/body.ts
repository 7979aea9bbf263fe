import type { FastifyRequest } from 'fastify'
import { bodyOf } from './rest.ts'

export type Fields = Readonly<Record<string, unknown>>

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
  return Object.fromEntries(fields)
}

/** A path of our own that a form asks to be led back to; undefined for anything that could lead elsewhere. */
export function readOwnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 512) return undefined
  return /^\/(?:[a-z0-9][\w./-]*)?(?:\?[\w.=&%-]*)?(?:#[\w-]*)?$/i.test(value) ? value : undefined
}
