import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { requireScope } from '../kernel/rights.ts'
import { isLoopback } from '../kernel/loopback.ts'
import { type SessionOptions, identifyApiCaller } from './session.ts'

/** Headers that proxies write. A request with any of them comes from another machine, or claims to. */
const PROXIED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

interface DeveloperAccessOptions extends SessionOptions {
  isLocal: boolean
}

/**
 * Who may act as payer, merchant and network on the development ledger. On a local gateway every caller may; elsewhere only callers on
 * the machine itself, and administrators: an anonymous caller who makes test nano could complete any checkout.
 */
export class DeveloperAccess {
  readonly #options: DeveloperAccessOptions

  constructor(options: DeveloperAccessOptions) {
    this.#options = options
  }

  /** For a caller whose role has been established already. */
  admits(request: IncomingMessage, role: 'user' | 'admin' | undefined): boolean {
    return this.#options.isLocal || role === 'admin' || isOnThisMachine(request)
  }

  async require({ method, url, headers, raw }: FastifyRequest): Promise<void> {
    if (this.admits(raw, undefined)) return
    const caller = await identifyApiCaller(this.#options, { method, url, headers, body: undefined })
    if (caller.role !== 'admin')
      throw new AppError('feature_disabled', 'Only administrators may use the development ledger here.')
    // The same scope as everything that only administrators may do.
    requireScope(caller, 'keys')
  }

  async mayEnter(request: FastifyRequest): Promise<boolean> {
    try {
      await this.require(request)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }
}

/** The connection itself must be local and name this machine: a request through a proxy on this machine comes from elsewhere. */
export function isOnThisMachine(request: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const { headers } = request
  if (PROXIED.some((name) => headers[name] !== undefined)) return false
  return isLoopback(request.socket.remoteAddress ?? '') && isLoopback((headers.host ?? '').replace(/:[0-9]*$/, ''))
}
